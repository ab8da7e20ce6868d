import { Option } from "commander";

/** A flag that takes words separated by commas; shells complete those that are known. */
export class ListOption extends Option {
  readonly words: readonly string[];

  constructor(flags: string, description: string, words: readonly string[]) {
    super(flags, description);
    this.words = words;
  }
}
