// Files of the machine in front of the browser.

/** Lets the browser save a text. */
export function saveText(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** Lets the user choose a file, and reads it as text; null: none was chosen. */
export function openText(accept: string): Promise<string | null> {
  const input = Object.assign(document.createElement("input"), { type: "file", accept });
  return new Promise((resolve, reject) => {
    input.addEventListener("cancel", () => resolve(null));
    input.addEventListener("change", () => {
      const [file] = input.files ?? [];
      if (file) file.text().then(resolve, reject);
      else resolve(null);
    });
    input.click();
  });
}
