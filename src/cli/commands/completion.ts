// `reeve completion`: what a shell needs to complete commands. Each script asks `reeve __complete` for what fits.
import type { CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: String.raw`# bash completion of reeve: put this into ~/.bashrc:  source <(reeve completion bash)
_reeve_complete() {
  local IFS=$'\n' current="${"$"}{COMP_WORDS[COMP_CWORD]}" line
  COMPREPLY=()
  # --flag=value is three words.
  if [[ "$current" == "=" ]]; then current=; fi
  while read -r line; do
    line="${"$"}{line%%$'\t'*}"
    [[ "$line" == "$current"* ]] || continue
    printf -v line '%q' "$line"
    COMPREPLY+=("${"$"}{line//\\,/,}")
  done < <(reeve __complete "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ ${"$"}{#COMPREPLY[@]} -eq 0 ]]; then compopt -o default 2>/dev/null; fi
}
# Names of permissions have a colon, and are one word.
COMP_WORDBREAKS="${"$"}{COMP_WORDBREAKS//:}"
complete -F _reeve_complete reeve
`,
  zsh: String.raw`#compdef reeve
# zsh completion of reeve: put this into ~/.zshrc after compinit:  source <(reeve completion zsh)
_reeve() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("${"$"}{${"$"}{line%%$'\t'*}//:/\\:}:${"$"}{line#*$'\t'}")
  done < <(reeve __complete "${"$"}{(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( ${"$"}{#found} )); then _describe 'reeve' found; else _files; fi
}
compdef _reeve reeve
`,
  fish: String.raw`# fish completion of reeve: reeve completion fish > ~/.config/fish/completions/reeve.fish
function __reeve_complete
  set -l words (commandline -opc) (commandline -ct)
  reeve __complete $words[2..-1] 2>/dev/null
end
complete -c reeve -f -a '(__reeve_complete)'
`,
};

export const completionCommand: CommandSpec<object> = {
  name: "completion",
  summary: "print what makes a shell complete commands",
  description:
    "Print what makes a shell complete commands, flags and their values, and names from the server: teams, secrets, webhooks and others. " +
    "Nothing is completed from a server that does not answer within two seconds.",
  needs: "files",
  examples: [
    "source <(reeve completion bash)",
    "source <(reeve completion zsh)",
    "reeve completion fish > ~/.config/fish/completions/reeve.fish",
  ],
  arguments: [{ name: "<shell>", help: Object.keys(SCRIPTS).join(", ") }],
  async run({ args: [shell = ""], output }) {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined)
      throw new Failure("usage", `<shell>: expected ${Object.keys(SCRIPTS).join(", ")}, got ${shell}`);
    output.raw(script);
  },
};
