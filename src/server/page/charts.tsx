/**
 * How the score depends on one column, and how much the trees use each.
 *
 * @module
 */
import type { Element } from "./element.ts";
import type { Importance } from "./importance.ts";
import { Bar, Name } from "./result.tsx";
import { shownNumber, shownPercent, type View, type WhatIf } from "./view.ts";

const WIDTH = 480;
const HEIGHT = 180;
const EDGE = { left: 56, right: 12, top: 12, bottom: 28 };

/** The what-if panel: pick a column, move it, see the score. */
export function WhatIfPanel({ view, whatIf }: { view: View; whatIf: WhatIf }): Element {
  const field = view.fields[whatIf.feature];
  const { scoreName = "score" } = view.result ?? {};
  return (
    <section aria-labelledby="what-if">
      <h2 id="what-if">What if</h2>
      <div class="row">
        <div>
          <label for="vary">Column to vary</label>
          <select id="vary" name="vary" form="form">
            {view.fields.map((other, f) => (
              <option value={String(f)} selected={f === whatIf.feature}>{other.label}</option>
            ))}
          </select>
        </div>
        {whatIf.numeric && field.range !== undefined
          ? (
            <div>
              <label for="slider">
                {`${field.label}: `}
                <span id="slider-value">{field.shown}</span>
              </label>
              <input
                id="slider"
                type="range"
                data-field={field.name}
                min={field.range.min}
                max={field.range.max}
                step={field.range.step}
                value={field.value === "" ? field.range.middle : field.value}
              />
            </div>
          )
          : null}
        <noscript>
          <button type="submit" form="form">Show</button>
        </noscript>
      </div>
      {whatIf.numeric
        ? <Curve whatIf={whatIf} name={field.label} scoreName={scoreName} />
        : <Categories whatIf={whatIf} name={field.label} scoreName={scoreName} />}
    </section>
  );
}

function Curve(
  { whatIf, name, scoreName }: { whatIf: WhatIf; name: string; scoreName: string },
): Element {
  const { points } = whatIf;
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.score);
  const [x0, x1] = [xs[0], xs[xs.length - 1]];
  const [low, high] = spread(Math.min(...ys), Math.max(...ys));
  const px = (x: number) =>
    EDGE.left + (x1 > x0 ? (x - x0) / (x1 - x0) : 0.5) * (WIDTH - EDGE.left - EDGE.right);
  const py = (y: number) =>
    HEIGHT - EDGE.bottom - (y - low) / (high - low) * (HEIGHT - EDGE.top - EDGE.bottom);
  const current = points.find((point) => point.current);
  const line = points.map(({ x, score }) => `${px(x).toFixed(1)},${py(score).toFixed(1)}`);
  const summary = `${scoreName} as ${name} goes from ${points[0].label} to ` +
    `${points[points.length - 1].label}: from ${shownScore(whatIf, ys[0])} to ` +
    `${shownScore(whatIf, ys[ys.length - 1])}`;
  return (
    <div>
      <p class="soft small">{summary}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={summary}>
        {[low, (low + high) / 2, high].map((y) => (
          <g>
            <line class="axis" x1={EDGE.left} x2={WIDTH - EDGE.right} y1={py(y)} y2={py(y)} />
            <text x={EDGE.left - 6} y={py(y) + 4} text-anchor="end">{shownScore(whatIf, y)}</text>
          </g>
        ))}
        {[x0, (x0 + x1) / 2, x1].map((x, i) => (
          <text x={px(x)} y={HEIGHT - 8} text-anchor={["start", "middle", "end"][i]}>
            {shownNumber(x)}
          </text>
        ))}
        <polyline class="curve" points={line.join(" ")} />
        {current === undefined
          ? null
          : <circle class="mark" cx={px(current.x)} cy={py(current.score)} r="6" />}
      </svg>
    </div>
  );
}

function shownScore({ percent }: WhatIf, score: number): string {
  return percent ? shownPercent(score) : shownNumber(score);
}

/** Room above and below; a flat line gets some too. */
function spread(low: number, high: number): readonly [number, number] {
  if (high - low > 1e-9) return [low, high];
  const room = Math.max(0.05, Math.abs(low) * 0.1);
  return [low - room, high + room];
}

function Categories(
  { whatIf, name, scoreName }: { whatIf: WhatIf; name: string; scoreName: string },
): Element {
  const scores = whatIf.points.map((point) => point.score);
  const low = Math.min(0, ...scores);
  const high = Math.max(0, ...scores);
  const place = (x: number) => high > low ? (x - low) / (high - low) : 0;
  return (
    <table>
      <caption>{`${scoreName} for each value of ${name}, all else as in the form`}</caption>
      <tbody>
        {whatIf.points.map((point) => (
          <tr class={point.current ? "current" : undefined}>
            <th scope="row">{point.current ? `${point.label} (now)` : point.label}</th>
            <td class="bar">
              <Bar from={place(0)} to={place(point.score)} kind="neutral" />
            </td>
            <td class="number">{shownScore(whatIf, point.score)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Gain, cover and splits side by side. */
export function ImportanceTable(
  { importance }: { importance: readonly Importance[] },
): Element {
  const largest = Math.max(...importance.map(({ gain, splits }) => gain || splits), 1e-9);
  return (
    <section aria-labelledby="importance">
      <h2 id="importance">What the trees use</h2>
      <table class="shares">
        <caption>
          Share of the gain, the rows passed and the splits. Columns with many distinct values look
          more important than they are; none of the three says what causes the target.
        </caption>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Gain</th>
            <th scope="col" class="number">Gain</th>
            <th scope="col" class="number">Rows</th>
            <th scope="col" class="number">Splits</th>
          </tr>
        </thead>
        <tbody>
          {importance.slice(0, 20).map(({ name, gain, cover, splits }) => (
            <tr>
              <th scope="row">
                <Name text={name} />
              </th>
              <td class="bar">
                <Bar from={0} to={(gain || splits) / largest} kind="neutral" />
              </td>
              <td class="number">{shownPercent(gain)}</td>
              <td class="number">{shownPercent(cover)}</td>
              <td class="number">{shownPercent(splits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {importance.length > 20
        ? <p class="soft small">{`and ${importance.length - 20} more columns`}</p>
        : null}
    </section>
  );
}
