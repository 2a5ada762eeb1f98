/**
 * A headless Chromium where the machine has one.
 *
 * @module
 */
import { type Browser, chromium } from "playwright-core";

const PLACES = [
  Deno.env.get("CHROMIUM_BIN"),
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Path of a Chromium, or undefined. */
export function findChromium(): string | undefined {
  return PLACES.find((path) => {
    try {
      return path !== undefined && Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

/** Starts the browser; close it after use. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}
