"use strict";
// Comfort only: the story of the mark that is pointed at or focused, below its chart; the same candidate lit in all
// charts; arrow keys from mark to mark; tables open on paper.
document.documentElement.classList.add("scripted");

for (const chart of document.querySelectorAll("figure > svg")) {
  const marks = [...chart.querySelectorAll(".mark")];
  const story = chart.parentElement.querySelector(".story");
  if (!marks.length) continue;
  const hint = "Point at a mark to read more, or go from one to the next with the arrow keys.";
  story.textContent = hint;
  marks[0].tabIndex = 0;

  const show = (mark) => {
    for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
    story.textContent = mark.querySelector("title").textContent;
    story.classList.add("told");
    mark.classList.add("lit");
    const name = mark.dataset.candidate;
    if (!name) return;
    const article = chart.closest("article");
    for (const same of article.querySelectorAll(`[data-candidate="${CSS.escape(name)}"]`)) same.classList.add("lit");
  };
  const clear = () => {
    for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
    story.textContent = hint;
    story.classList.remove("told");
  };

  chart.addEventListener("pointerover", (event) => {
    const mark = event.target.closest(".mark");
    if (mark) show(mark);
  });
  chart.addEventListener("pointerleave", clear);
  chart.addEventListener("focusin", (event) => show(event.target.closest(".mark")));
  chart.addEventListener("focusout", clear);
  chart.addEventListener("keydown", (event) => {
    const last = marks.length - 1;
    const at = marks.indexOf(event.target.closest(".mark"));
    const next = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: last };
    if (!(event.key in next)) return;
    event.preventDefault();
    const mark = marks[Math.min(Math.max(next[event.key], 0), last)];
    for (const each of marks) each.tabIndex = each === mark ? 0 : -1;
    mark.focus();
  });
}

addEventListener("beforeprint", () => {
  for (const table of document.querySelectorAll("details")) table.open = true;
});
