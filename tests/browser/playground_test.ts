// deno-lint-ignore-file no-console
/**
 * The playground in a real browser: it scores as one types, moves with the slider, breaks no policy,
 * and works with JavaScript switched off.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { createApp } from "../../src/server/app.ts";
import { findChromium, launchBrowser } from "../support/processes/browser.ts";
import { hebrewModel, smallModel } from "../support/models/small.ts";

const chromium = findChromium();
const ignore = chromium === undefined;
if (ignore) console.log("skipped: the playground test: there is no chromium (or CHROMIUM_BIN)");

type Browser = Awaited<ReturnType<typeof launchBrowser>>;

async function withServer(
  run: (browser: Browser, url: string) => Promise<void>,
  model = smallModel(),
): Promise<void> {
  const app = createApp({ models: { small: model } });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  const browser = await launchBrowser(chromium!);
  try {
    await run(browser, `http://127.0.0.1:${server.addr.port}/`);
  } finally {
    await browser.close();
  }
}

Deno.test(
  "the page follows its form and its slider, and breaks no policy",
  { ignore },
  () =>
    withServer(async (browser, url) => {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error") problems.push(message.text());
      });
      page.on("pageerror", (error) => problems.push(String(error)));
      await page.goto(url);
      const headline = page.locator(".headline");
      assertEquals(await headline.textContent(), "yes");
      await page.fill("#f0", "20");
      await page.locator(".headline", { hasText: "no" }).waitFor();
      await page.locator("#slider").fill("40");
      await page.locator(".headline", { hasText: "yes" }).waitFor();
      assertEquals(await page.inputValue("#f0"), "40");
      await page.selectOption("#vary", "1");
      await page.locator("th", { hasText: "a (now)" }).waitFor();
      await page.fill("#f0", "x");
      await page.locator("#f0[aria-invalid=true]").waitFor();
      assertEquals(problems, []);
    }),
);

Deno.test(
  "the page works on a phone with JavaScript switched off",
  { ignore },
  () =>
    withServer(async (browser, url) => {
      const context = await browser.newContext({
        javaScriptEnabled: false,
        viewport: { width: 360, height: 740 },
        colorScheme: "dark",
      });
      const page = await context.newPage();
      await page.goto(url);
      await page.fill("#f0", "20");
      await page.click("text=Score");
      assertEquals(await page.locator(".headline").textContent(), "no");
      assertEquals(await page.inputValue("#f0"), "20");
      // Names of columns are words, not a letter a line.
      const name = await page.locator(".shares tbody th").first().boundingBox();
      assertEquals(name!.width >= 80, true, `${name!.width}`);
      const wide = await page.locator("html").boundingBox();
      assertEquals(wide!.width, 360); // nothing makes the page scroll sideways
    }),
);

/** Of each name with text behind it: both, and whether the text is to the right, or on the next line. */
const BEHIND_NAMES = `[...document.querySelectorAll("bdi")].flatMap((name) => {
  const next = name.nextSibling;
  if (next?.nodeType !== Node.TEXT_NODE || !/\\S/.test(next.data)) return [];
  const at = next.data.search(/\\S/);
  const range = document.createRange();
  range.setStart(next, at);
  range.setEnd(next, at + 1);
  const [own, behind] = [name.getBoundingClientRect(), range.getBoundingClientRect()];
  const isRight = behind.left >= own.right - 1 || behind.top >= own.bottom - 4;
  return [[name.textContent + next.data, isRight]];
})`;

Deno.test(
  "names that are read from the right leave the text behind them to their right",
  { ignore },
  () =>
    withServer(async (browser, url) => {
      for (const width of [360, 1100]) {
        const page = await browser.newPage({ viewport: { width, height: 740 } });
        for (const vary of [0, 1]) {
          await page.goto(`${url}?vary=${vary}`);
          const found = await page.evaluate<[string, boolean][]>(BEHIND_NAMES);
          assertEquals(found.filter(([, isRight]) => !isRight), []);
          assertEquals(found.length >= 5, true, `${found.length} names with text behind them`);
        }
      }
    }, hebrewModel()),
);
