// What is wrong with the look of the page that is open, a sentence each.
() => {
  const faults = [], wide = document.documentElement.clientWidth, NEAR = 1.5;
  const SMALLEST = 8; // px that a line of text is high
  const FAINTEST = 2.4; // contrast of a text and what is behind it, as WCAG counts it
  for (const one of document.querySelectorAll("details:not(#moves)")) one.open = true;
  const brief = (text) => `"${text.trim().replace(/\s+/g, " ").slice(0, 40)}"`;
  const named = (e) => `<${e.tagName.toLowerCase()} ${e.id || e.getAttribute("class") || ""}>`;
  const scrolls = (e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
  const isWithin = (e) => { for (let p = e.parentElement; p; p = p.parentElement) if (scrolls(p)) return true; return false; };

  // colours: [red, green, blue, alpha]
  const rgba = (text) => { const n = text.match(/[\d.]+/g)?.map(Number); return n && n.length >= 3 ? [...n.slice(0, 3), n[3] ?? 1] : null; };
  const over = (top, low) => [0, 1, 2].map((k) => top[k] * top[3] + low[k] * (1 - top[3])).concat(1);
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const ground = (e) => {
    const layers = [];
    for (let p = e; p; p = p.parentElement) layers.unshift(rgba(getComputedStyle(p).backgroundColor) ?? [0, 0, 0, 0]);
    return layers.reduce((low, top) => over(top, low), matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0, 1] : [255, 255, 255, 1]);
  };
  const opacity = (e) => { let found = 1; for (let p = e; p; p = p.parentElement) found *= Number(getComputedStyle(p).opacity); return found; };
  const judge = (ink, behind, said, where) => {
    if (ink && contrast(over(ink, behind), behind) < FAINTEST) faults.push(`${brief(said)} is hard to see in ${where}`);
  };

  const odd = (said, where) => { if (/(?<![\w.])\d[\d.]*[eE][+\-\u2212]?\d\d(?!\w)/.test(said)) faults.push(`${brief(said)} has an exponent in ${where}`); };

  const all = document.documentElement.scrollWidth;
  if (all > wide) faults.push(`the page is ${all} px wide in a window of ${wide}`);
  for (const e of document.body.querySelectorAll("*")) {
    if (e.ownerSVGElement || !e.checkVisibility()) continue;
    const box = e.getBoundingClientRect();
    if (box.width && (box.right > wide + NEAR || box.left < -NEAR) && !isWithin(e)) faults.push(`${named(e)} reaches from ${box.left} to ${box.right} px`);
    const holds = e instanceof HTMLElement && getComputedStyle(e).display !== "inline" && !scrolls(e) && !e.matches("input, textarea, select");
    if (holds && e.scrollWidth > e.clientWidth + NEAR) faults.push(`${named(e)} is ${e.clientWidth} px wide, its content ${e.scrollWidth}: ${brief(e.textContent)}`);
  }

  for (const table of wide > 1000 ? document.querySelectorAll("table") : []) {
    const box = table.parentElement;
    if (table.checkVisibility() && box.scrollWidth > box.clientWidth + NEAR) faults.push(`the table ${brief(table.textContent)} is ${box.scrollWidth} px wide in ${box.clientWidth}`);
  }

  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walk.nextNode()) {
    const text = walk.currentNode, parent = text.parentElement;
    if (!text.data.trim() || parent.closest("svg, script, style, textarea, select") || !parent.checkVisibility()) continue;
    const boxes = (start, length) => {
      range.setStart(text, start);
      range.setEnd(text, start + length);
      return [...range.getClientRects()].filter((r) => r.width > 0);
    };
    for (const whole of text.data.matchAll(/\S+/gu)) {
      if (boxes(whole.index, whole[0].length).reduce((sum, r) => sum + r.width, 0) > wide / 2) continue; // a transcript, an address
      for (const word of whole[0].matchAll(/[^\-\u2010-\u2014/]+/gu)) {
        const lines = new Set(boxes(whole.index + word.index, word[0].length).map((r) => Math.round(r.bottom)));
        if (lines.size > 1) faults.push(`${brief(word[0])} is broken in ${named(parent)}`);
      }
    }
    odd(text.data, named(parent));
    if (!parent.closest(":disabled, .stale")) judge(rgba(getComputedStyle(parent).color), ground(parent), text.data, named(parent));
  }

  for (const svg of document.querySelectorAll("svg")) {
    if (svg.ownerSVGElement || !svg.checkVisibility()) continue;
    const frame = svg.getBoundingClientRect(), behind = ground(svg), where = `${named(svg)} ${brief(svg.getAttribute("aria-label") ?? "")}`;
    const texts = [], shapes = [];
    for (const e of svg.querySelectorAll("text, path, rect, circle, image")) {
      if (e.closest("defs, clipPath")) continue;
      const box = e.getBoundingClientRect();
      if (e.tagName !== "text") shapes.push({ e, box });
      else if (e.textContent.trim()) texts.push({ e, box, said: e.textContent, after: shapes.length });
    }
    for (const { e, box, said, after } of texts) {
      if (box.left < frame.left - NEAR || box.right > frame.right + NEAR || box.top < frame.top - NEAR || box.bottom > frame.bottom + NEAR) faults.push(`${brief(said)} is cut off in ${where}`);
      odd(said, where);
      const matrix = e.getScreenCTM(), size = parseFloat(getComputedStyle(e).fontSize) * Math.hypot(matrix.a, matrix.b);
      if (1.17 * size < SMALLEST) faults.push(`${brief(said)} is ${size.toFixed(1)} px high in ${where}`);
      const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
      const under = shapes.slice(0, after).filter(({ e: s, box: b }) => b.left <= x && x <= b.right && b.top <= y && y <= b.bottom &&
        (s.tagName === "image" || (getComputedStyle(s).fill !== "none" && s.isPointInFill(new DOMPoint(x, y).matrixTransform(s.getScreenCTM().inverse())))));
      if (under.some(({ e: s }) => s.tagName === "image")) continue; // its colours are not known here
      const fill = (s) => { const c = rgba(getComputedStyle(s).fill); return c && [...c.slice(0, 3), c[3] * getComputedStyle(s).fillOpacity * opacity(s)]; };
      const style = getComputedStyle(e), below = under.reduce((low, { e: s }) => over(fill(s) ?? [0, 0, 0, 0], low), behind);
      const hasHalo = style.paintOrder.startsWith("stroke") && parseFloat(style.strokeWidth) > 0.25 * parseFloat(style.fontSize);
      judge(fill(e), hasHalo ? over(rgba(style.stroke), below) : below, said, where);
    }
    for (let i = 0; i < texts.length; i++) {
      for (let j = 0; j < i; j++) {
        const a = texts[i].box, b = texts[j].box, w = Math.min(a.right, b.right) - Math.max(a.left, b.left), h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (w > 0 && h > 0 && w * h > 0.2 * Math.min(a.width * a.height, b.width * b.height)) faults.push(`${brief(texts[i].said)} covers ${brief(texts[j].said)} in ${where}`);
      }
    }
  }
  return faults;
}
