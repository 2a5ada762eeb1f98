/** What the written pages name is there: files, headings and tasks. */
import { assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = ["src", "tests", "bench", "docs", "tools", "examples"];
const PATH = /^([\w-]+)\/[\w./-]*(?:\/|\.\w+)$/;

/** Paths from the root of all pages below `folder`. */
function pagesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return name === "golden" ? [] : pagesBelow(`${folder}${name}/`);
    return name.endsWith(".md") ? [folder + name] : [];
  });
}

const PAGES = [
  "README.md",
  "CHANGELOG.md",
  ...["docs/", "bench/", "examples/", "tests/", "tools/"].flatMap(pagesBelow),
];
const read = (page: string) => Deno.readTextFileSync(new URL(page, ROOT));

function isThere(url: URL): boolean {
  try {
    return Deno.statSync(url) !== undefined;
  } catch {
    return false;
  }
}

/** Whether a path begins with a folder of the project, or of `src`, and there is no such file. */
function isGone(path: string): boolean {
  const folder = PATH.exec(path)?.[1];
  if (folder === undefined) return false;
  if (FOLDERS.includes(folder)) return !isThere(new URL(path, ROOT));
  return isThere(new URL(`src/${folder}/`, ROOT)) && !isThere(new URL(`src/${path}`, ROOT));
}

/** Headings as links name them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").trim().replaceAll(" ", "-")
  );
}

Deno.test("links of the pages lead to files and headings that are there", () => {
  const dead = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link).filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [path, heading] = link.split("#");
      const file = path === "" ? new URL(page, ROOT) : new URL(path, new URL(page, ROOT));
      if (!isThere(file)) return true;
      return heading !== undefined && !headingsOf(Deno.readTextFileSync(file)).includes(heading);
    }).map((link) => `${page}: ${link}`)
  );
  assertEquals(dead, []);
});

Deno.test("paths and tasks that the pages name are there", () => {
  const { tasks } = JSON.parse(read("deno.json"));
  const gone = PAGES.filter((page) => page !== "CHANGELOG.md").flatMap((page) => {
    const text = read(page);
    const paths = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code.split(" "));
    return [
      ...paths.filter(isGone),
      ...[...text.matchAll(/deno task ([\w:]+)/g)].map(([, task]) => task)
        .filter((task) => !(task in tasks)),
    ].map((name) => `${page}: ${name}`);
  });
  assertEquals(gone, []);
});
