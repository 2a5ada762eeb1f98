/**
 * What a browser with JavaScript adds: results follow the form as it changes, and a slider moves
 * one feature. The server renders the same page either way; only its results are put in place.
 *
 * @module
 */

/** Script text. */
export const SCRIPT = `
"use strict";
const form = document.getElementById("form");
let timer, asking;
async function update() {
  asking?.abort();
  asking = new AbortController();
  const results = document.getElementById("results");
  results.classList.add("busy");
  try {
    const answer = await fetch(form.action, {
      method: "POST", body: new URLSearchParams(new FormData(form)), signal: asking.signal });
    // The answer's style has a nonce of its own, which this page's policy does not know.
    const html = (await answer.text()).replace(/<style[^]*?<\\/style>/, "");
    const page = new DOMParser().parseFromString(html, "text/html");
    const next = page.getElementById("results");
    if (!next) return;
    const focused = document.activeElement?.id;
    const open = new Set([...results.querySelectorAll("details:not([open])")].map((d) => d.id));
    results.replaceChildren(...next.childNodes);
    for (const id of open) document.getElementById(id)?.removeAttribute("open");
    for (const field of page.querySelectorAll("#form [aria-invalid], #form .problem")) {
      const here = document.getElementById(field.id);
      if (!here) continue;
      if (field.classList.contains("problem")) here.textContent = field.textContent;
      else here.setAttribute("aria-invalid", field.getAttribute("aria-invalid"));
    }
    if (focused) document.getElementById(focused)?.focus();
    results.classList.remove("busy");
  } catch (error) {
    if (error.name !== "AbortError") results.classList.remove("busy");
  }
}
function soon(wait) { clearTimeout(timer); timer = setTimeout(update, wait); }
document.addEventListener("input", (event) => {
  const { target } = event;
  if (target.id === "slider") {
    const field = document.getElementById(target.dataset.field);
    field.value = target.value;
    document.getElementById("slider-value").textContent = target.value;
    soon(40);
  } else if (target.form === form) soon(250);
});
form.addEventListener("submit", (event) => { event.preventDefault(); soon(0); });
document.documentElement.classList.add("scripted");
`;
