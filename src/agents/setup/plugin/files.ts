/** The files of a plugin, by their paths inside its directory. */
export type Files = Readonly<Record<string, string>>;

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function below(dir: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${dir}/${path}`, text]));
}
