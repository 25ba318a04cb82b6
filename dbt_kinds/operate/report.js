// What the page does beyond being there: choosing models, and saying what is under the pointer, finger or keys.
(() => {
  const filter = document.getElementById("filter");
  if (!filter) return;
  const models = [...document.querySelectorAll(".model")];
  const buttons = [...document.querySelectorAll(".tallies button")];
  const tip = document.getElementById("tip");
  const axis = document.querySelector(".axis");
  const start = Date.parse(axis.dataset.start), end = Date.parse(axis.dataset.end);
  let tag = "", shown = null;

  function choose() {
    const text = filter.value.trim().toLowerCase();
    let found = 0;
    for (const model of models) {
      const tags = model.dataset.tags.split(" ");
      model.hidden = !model.dataset.name.includes(text) || (tag !== "" && !tags.includes(tag));
      found += !model.hidden;
    }
    document.getElementById("none").hidden = found > 0;
  }
  filter.addEventListener("input", choose);
  for (const button of buttons) {
    button.addEventListener("click", () => {
      tag = button.dataset.tag;
      for (const other of buttons) other.setAttribute("aria-pressed", other === button);
      choose();
    });
  }

  // segments of a lane as [left, right, element] in percent; their title becomes ours, or the browser would show it, too
  const known = new WeakMap();
  function segments(lane) {
    if (!known.has(lane)) {
      known.set(lane, [...lane.children].map((segment) => {
        segment.dataset.text = segment.title;
        segment.removeAttribute("title");
        const of = (name) => parseFloat(segment.style.getPropertyValue(name));
        return [of("--at"), of("--at") + of("--for"), segment];
      }));
    }
    return known.get(lane);
  }

  function segmentAt(lane, x) {
    const box = lane.getBoundingClientRect();
    const place = (x - box.left) / box.width * 100, reach = 4 / box.width * 100;
    let best = null;
    for (const [left, right, segment] of segments(lane)) {
      // a narrow segment is met from a little aside, and before a wide one
      const aside = right - left < 2 * reach ? reach : 0;
      const isMet = left - aside <= place && place < right + aside;
      if (isMet && (best === null || right - left < best[1] - best[0])) best = [left, right, segment];
    }
    return best && best[2];
  }

  function show(segment, x, y, instant) {
    if (shown !== segment) {
      hide();
      shown = segment;
      segment.classList.add("at");
    }
    tip.textContent = (instant ? `at ${instant}\n` : "") + segment.dataset.text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
    tip.style.top = (y + 20 + box.height > innerHeight ? y - box.height - 14 : y + 20) + "px";
  }
  function hide() {
    if (shown) shown.classList.remove("at");
    shown = null;
    tip.hidden = true;
  }

  function instantAt(lane, x) {
    const box = lane.getBoundingClientRect();
    const moment = new Date(start + (end - start) * (x - box.left) / box.width);
    return isNaN(moment) ? "" : moment.toISOString().slice(0, 16).replace("T", " ");
  }

  document.addEventListener("pointermove", (event) => {
    const lane = event.target.closest && event.target.closest(".lane");
    const segment = lane && event.pointerType === "mouse" && segmentAt(lane, event.clientX);
    if (segment) show(segment, event.clientX, event.clientY, instantAt(lane, event.clientX));
    else if (event.pointerType === "mouse") hide();
  });
  // a finger on a segment asks what it is; elsewhere on the line it opens the model, as a click does
  document.addEventListener("click", (event) => {
    const lane = event.target.closest && event.target.closest(".lane");
    const segment = lane && event.pointerType && event.pointerType !== "mouse" && segmentAt(lane, event.clientX);
    if (!segment) return hide();
    event.preventDefault();
    show(segment, event.clientX, event.clientY);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const summary = document.activeElement.closest("summary");
    if (!step || !summary) return;
    const lane = summary.querySelector(".lane"), all = segments(lane).map((entry) => entry[2]);
    if (!all.length) return;
    const before = all.indexOf(shown);
    const next = all[before < 0 ? (step > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, before + step))];
    const box = next.getBoundingClientRect();
    show(next, box.left, box.bottom - 14);
    event.preventDefault();
  });
  document.addEventListener("focusout", hide);
  addEventListener("scroll", hide, { passive: true });
})();
