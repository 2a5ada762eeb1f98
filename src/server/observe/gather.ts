/**
 * `/metrics` of several threads as one: each thread counts by itself, and the one that is asked
 * adds up the texts of all.
 *
 * @module
 */
import { valueText } from "./metrics_text.ts";

/** Milliseconds after which a thread that does not answer is told as it was. */
const PATIENCE = 1000;

/** What threads say to each other. */
type Message =
  | { readonly ask: number }
  | { readonly answer: number; readonly text: string };

/**
 * Answers the other threads with this one's text, and returns how to get theirs. Of a thread that works
 * on one long request the last text is told: counters that went back would be taken for a restart, and all
 * that they count for new once it answers again.
 *
 * @param peers A port to each of the other threads.
 */
export function joinThreads(
  peers: readonly MessagePort[],
  ownText: () => string,
  patience: number = PATIENCE,
): () => Promise<string[]> {
  const lastTexts = peers.map(() => "");
  const waiting = new Map<number, (text: string) => void>();
  let last = 0;
  peers.forEach((port, peer) => {
    port.onmessage = ({ data }: MessageEvent<Message>) => {
      if ("ask" in data) {
        port.postMessage({ answer: data.ask, text: ownText() } satisfies Message);
        return;
      }
      lastTexts[peer] = data.text;
      waiting.get(data.answer)?.(data.text);
    };
  });
  return () =>
    Promise.all(peers.map((port, peer) => {
      const id = ++last;
      return new Promise<string>((resolve) => {
        const done = (text: string) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(text);
        };
        const timer = setTimeout(() => done(lastTexts[peer]), patience);
        waiting.set(id, done);
        port.postMessage({ ask: id } satisfies Message);
      });
    }));
}

const MAXIMA: ReadonlySet<string> = new Set([
  "treeline_psi",
  "treeline_feature_psi",
  "treeline_training_statistics",
]);

/**
 * Adds up texts in the exposition format: lines with the same name and labels become one. Of
 * gauges that cannot be added the largest is told.
 */
export function addMetrics(texts: readonly string[]): string {
  if (texts.length === 1) return texts[0];
  const families = new Map<string, { head: string[]; values: Map<string, number> }>();
  for (const text of texts) {
    let name = "";
    for (const line of text.split("\n")) {
      if (line === "") continue;
      if (line.startsWith("# HELP ")) name = line.split(" ", 3)[2];
      let family = families.get(name);
      if (family === undefined) families.set(name, family = { head: [], values: new Map() });
      if (line.startsWith("#")) {
        if (family.head.length < 2) family.head.push(line);
        continue;
      }
      const at = line.lastIndexOf(" ");
      const key = line.slice(0, at);
      const value = Number(line.slice(at + 1));
      const known = family.values.get(key);
      if (known === undefined) family.values.set(key, value);
      else family.values.set(key, MAXIMA.has(name) ? Math.max(known, value) : known + value);
    }
  }
  const lines: string[] = [];
  for (const { head, values } of families.values()) {
    lines.push(...head);
    for (const [key, value] of values) lines.push(`${key} ${valueText(value)}`);
  }
  return lines.join("\n") + "\n";
}
