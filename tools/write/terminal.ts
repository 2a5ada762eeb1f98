/**
 * Draws docs/terminal.svg, the picture of the README: what `deno task start` prints, as it printed
 * it. Run it again when the output changes; `--check` fails when the picture shows other output.
 *
 * @module
 */

const CHAR = 8.4;
const LINE = 20;

/** Draws lines of text as a terminal window. */
function terminalSvg(title: string, lines: readonly string[]): string {
  const longest = Math.max(...lines.map((line) => line.length));
  const width = Math.ceil(longest * CHAR + 40);
  const height = lines.length * LINE + 68;
  const rows = lines.map((line, i) => {
    const kind = line.startsWith("$") ? "prompt" : /^\s*(#|next|try)/i.test(line) ? "dim" : "text";
    return `  <text class="${kind}" x="20" y="${60 + i * LINE}" xml:space="preserve">${
      escapeText(line)
    }</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${
    escapeText(title)
  }">
  <style>
    text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d7dee8; }
    .prompt { fill: #8bd5a0; font-weight: bold; }
    .dim { fill: #8a94a6; }
  </style>
  <rect width="${width}" height="${height}" rx="10" fill="#161b24"/>
  <circle cx="22" cy="20" r="6" fill="#e5695e"/><circle cx="42" cy="20" r="6" fill="#e0b44c"/><circle cx="62" cy="20" r="6" fill="#68b368"/>
${rows.join("\n")}
</svg>
`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

if (import.meta.main) {
  const root = new URL("../../", import.meta.url);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "start"],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const printed = new TextDecoder().decode(stdout).trimEnd().split("\n");
  const svg = terminalSvg("What deno task start prints", ["$ deno task start", ...printed]);
  const picture = new URL("docs/terminal.svg", root);
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(picture, svg);
  else if (await Deno.readTextFile(picture) !== svg) {
    throw new Error("docs/terminal.svg is out of date: run deno run -A tools/write/terminal.ts");
  }
}
