// A workflow's drawing, from the places in its manifest; the layout is that of `stepsmith graph`.

import { h, s } from "./dom.js";
import { tone, words } from "./format.js";

const ICONS = {
  manual: "person decides", wait: "wait", event: "waits for an event", publish: "publishes",
  workflow: "workflow", block: "parallel", script: "script", aws: "AWS call",
};

/**
 * Draws `graph.steps`. `statuses` are steps' records by id; `choose(id)` is called for a step that
 * is clicked, or Enter pressed on.
 */
export function drawing(graph, statuses, chosen, choose) {
  const scene = graph?.steps;
  if (!scene || !scene.cards.length) return h("p", { class: "empty" }, "There is no drawing of this version.");
  const svg = s("svg", {
    viewBox: `-6 -6 ${scene.width + 12} ${scene.height + 12}`,
    role: "group", "aria-label": "The workflow's steps",
  });
  svg.append(s("defs", {}, s("marker", {
    id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto",
  }, s("path", { d: "M0 0L8 4L0 8z", class: "head-shape" }))));
  part(svg, scene, { statuses, chosen, choose });
  // A drawing a little too wide is made smaller; a much wider one scrolls.
  svg.style.width = "100%";
  svg.style.maxWidth = `${scene.width + 12}px`;
  svg.style.minWidth = `${Math.round(0.7 * scene.width)}px`;
  return h("div", { class: "graph", tabindex: "0", role: "region", "aria-label": "Drawing of the workflow" }, svg);
}

function part(svg, scene, about) {
  for (const arrow of scene.arrows) {
    svg.append(s("path", {
      d: line(arrow.points, scene.down), class: arrow.latch ? "arrow latch" : "arrow", "marker-end": "url(#head)",
    }));
  }
  for (const card of scene.cards) {
    svg.append(step(card, about));
    if (card.inside) part(svg, card.inside, about);
  }
}

function line(points, down) {
  let path = `M${points[0].join(" ")}`;
  for (let at = 1; at < points.length; at += 1) {
    const [x0, y0] = points[at - 1], [x, y] = points[at];
    // Points come in pairs: across a layer the line is straight, between layers it bends.
    if (at % 2 === 0) path += `L${x} ${y}`;
    else if (down) path += `C${x0} ${(y0 + y) / 2} ${x} ${(y0 + y) / 2} ${x} ${y}`;
    else path += `C${(x0 + x) / 2} ${y0} ${(x0 + x) / 2} ${y} ${x} ${y}`;
  }
  return path;
}

function step(card, { statuses, chosen, choose }) {
  const record = statuses?.[card.id];
  const status = record?.status;
  const about = status ? state(record) : card.about || ICONS[card.kind] || card.kind;
  const room = Math.floor((card.width - 22) / 7.4);
  const lines = [cut(card.title, room), card.height < 36 ? "" : cut(about, Math.floor(room * 1.15))];
  // The name begins with what is seen, for those who speak it; what was cut follows.
  const said = [...lines, lines[0] === card.title ? "" : `(${card.title})`].filter(Boolean).join(" ");
  const pick = () => choose(card.id);
  const group = s("g", {
    id: `card-${card.id}`, class: `step ${status ? tone(status) : ""} ${card.inside ? "box" : ""}`,
    tabindex: "0", role: "button", "aria-label": said, "aria-current": chosen === card.id ? "true" : false,
    click: pick,
    keydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      pick();
    },
  });
  group.append(s("rect", {
    class: "card-shape", x: card.x, y: card.y, width: card.width, height: card.height, rx: 9,
  }));
  group.append(s("text", { x: card.x + 12, y: card.y + 21 }, lines[0]));
  if (lines[1]) group.append(" ", s("text", { x: card.x + 12, y: card.y + 38, class: "about" }, lines[1]));
  return group;
}

function state(record) {
  const parts = [words(record.status)];
  if (record.reason) parts.push(words(record.reason));
  if (record.tolerated) parts.push("tolerated");
  if (record.attempt > 1) parts.push(`attempt ${record.attempt}`);
  if (record.items) parts.push(`${record.items.length} items`);
  return parts.join(" · ");
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);
