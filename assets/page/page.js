"use strict";
// One page with the maps of every head as numbers. No network, no library: all that it needs is in this file.
(() => {
  // One result, or those of a lesson: the stops of its words, each of which shows one of the sets.
  const page = JSON.parse(document.getElementById("headscope-data").textContent);
  const sets = page.sets || [page];
  let data = sets[0];
  const HIDDEN = 0x7fc0beef;  // the bits of a hidden cell: a NaN that no computation gives
  const byId = (id) => document.getElementById(id);

  const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  for (const set of sets) {
    set.table = bytesOf(set.colors);  // 256 colours of three bytes
    for (const layer of set.layers) {
      const bytes = bytesOf(layer.values);
      layer.values = new Float32Array(bytes.buffer);
      layer.bits = new Uint32Array(bytes.buffer);
    }
  }

  const state = { layer: 0, head: 0, query: 0, key: 0, view: data.view, perRow: data.per_row, least: data.hide_below };
  state.layer = Math.max(0, data.layers.findIndex((each) => each.layer === data.layer));

  const layerNow = () => data.layers[state.layer];
  const at = (layer, head, i, j) => (head * layer.queries.length + i) * layer.keys.length + j;

  // As the CSV files write it: the fewest digits that read back to the same 32 bits.
  function numberText(value) {
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    if (value === 0) return Object.is(value, -0) ? "-0" : "0";
    let digits = 1;
    while (digits < 9 && Math.fround(Number(value.toPrecision(digits))) !== value) ++digits;
    const short = Number(value.toPrecision(digits));
    const [mantissa, power] = short.toExponential().split("e");
    const size = String(Math.abs(Number(power))).padStart(2, "0");
    const scientific = mantissa + "e" + (power[0] === "-" ? "-" : "+") + size;
    const decimals = Math.max(0, digits - 1 - Number(power));
    const fixed = decimals <= 100 ? short.toFixed(decimals) : scientific;
    return fixed.length <= scientific.length ? fixed : scientific;
  }

  function rowScale(layer, head, i) {
    if (!state.perRow) return [data.low, data.high];
    let low = Infinity, high = -Infinity;
    for (let j = 0; j < layer.keys.length; ++j) {
      const value = layer.values[at(layer, head, i, j)];
      if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
    }
    if (!(low <= high)) return [0, 1];
    if (data.signed) { high = Math.max(Math.abs(low), Math.abs(high)); low = -high; } else if (data.from_zero) low = 0;
    return [low, high];
  }

  const hex = (name) => {
    const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16));
  };

  // The colour of a cell into rgba at `to`.
  function paint(layer, head, i, j, scale, hatch, rgba, to) {
    const k = at(layer, head, i, j);
    let color = hatch;
    if (layer.bits[k] !== HIDDEN) {
      const value = layer.values[k];
      if (!Number.isFinite(value)) {
        color = [192, 38, 211];
      } else {
        let share = scale[1] > scale[0] ? (value - scale[0]) / (scale[1] - scale[0]) : 0.5;
        if (data.log && !data.signed) {
          const floor = scale[1] * 1e-6;
          share = value > floor ? Math.log(value / floor) / Math.log(scale[1] / floor) : 0;
        }
        const entry = 3 * Math.floor(Math.min(1, Math.max(0, share)) * 255 + 0.5);
        color = [data.table[entry], data.table[entry + 1], data.table[entry + 2]];
      }
    }
    rgba[to] = color[0]; rgba[to + 1] = color[1]; rgba[to + 2] = color[2]; rgba[to + 3] = 255;
  }

  function mapPixels(layer, head) {
    const image = new ImageData(layer.keys.length, layer.queries.length);
    const hatch = hex("--hatch");
    for (let i = 0, to = 0; i < layer.queries.length; ++i) {
      const scale = rowScale(layer, head, i);
      for (let j = 0; j < layer.keys.length; ++j, to += 4) paint(layer, head, i, j, scale, hatch, image.data, to);
    }
    return image;
  }

  function drawGrid() {
    const layer = layerNow();
    const grid = byId("grid");
    while (grid.children.length > layer.heads.length) grid.lastChild.remove();
    layer.heads.forEach((name, head) => {
      let figure = grid.children[head];
      if (!figure) {
        figure = document.createElement("figure");
        figure.append(document.createElement("figcaption"), document.createElement("canvas"));
        const canvas = figure.lastChild;
        canvas.tabIndex = 0;
        canvas.setAttribute("role", "img");
        canvas.addEventListener("focus", () => pick(head, state.query, state.key));
        canvas.addEventListener("pointermove", (event) => { const [i, j] = cellIn(canvas, event); show(head, i, j); });
        canvas.addEventListener("pointerdown", (event) => { const [i, j] = cellIn(canvas, event); pick(head, i, j); });
        canvas.addEventListener("keydown", moveByKey);
        grid.append(figure);
      }
      figure.setAttribute("aria-current", String(head === state.head));
      figure.firstChild.textContent = "head " + name;
      const canvas = figure.lastChild;
      canvas.setAttribute("aria-label", data.stage + " of head " + name + ", layer " + layer.layer);
      canvas.width = layer.keys.length;
      canvas.height = layer.queries.length;
      canvas.getContext("2d").putImageData(mapPixels(layer, head), 0, 0);
    });
  }

  function cellIn(canvas, event) {
    const layer = layerNow();
    const box = canvas.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.top) / box.height * layer.queries.length);
    const j = Math.floor((event.clientX - box.left) / box.width * layer.keys.length);
    return [Math.min(layer.queries.length - 1, Math.max(0, i)), Math.min(layer.keys.length - 1, Math.max(0, j))];
  }

  // Where the cells of the large map lie: rebuilt with it.
  const place = { left: 0, top: 0, cell: 1 };

  function shortened(context, text, width) {
    if (context.measureText(text).width <= width) return text;
    let letters = [...text];
    while (letters.length > 1 && context.measureText(letters.join("") + "…").width > width) letters.pop();
    return letters.join("") + "…";
  }

  function sized(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = '12px "JetBrains Mono", ui-monospace, monospace';
    return context;
  }

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Lines over hidden cells: they are never told by a colour alone.
  function hatch(context, layer) {
    const { left, top, cell } = place;
    context.strokeStyle = color("--edge");
    context.lineWidth = 1;
    context.beginPath();
    for (let i = 0; i < layer.queries.length; ++i) {
      for (let j = 0; j < layer.keys.length; ++j) {
        if (layer.bits[at(layer, state.head, i, j)] !== HIDDEN) continue;
        const x = left + j * cell, y = top + i * cell;
        context.moveTo(x, y + cell);
        context.lineTo(x + cell, y);
      }
    }
    context.stroke();
  }

  function drawMap() {
    const layer = layerNow(), rows = layer.queries.length, columns = layer.keys.length;
    const canvas = byId("map");
    const room = Math.max(240, byId("large").clientWidth - 24);
    const labels = Math.max(rows, columns) <= 200;
    place.left = labels ? 110 : 0;
    place.top = labels ? 92 : 0;
    place.cell = Math.max(1, Math.min(40, Math.floor((room - place.left) / columns)));
    if (labels) place.cell = Math.max(place.cell, 14);
    const { left, top, cell } = place;
    const context = sized(canvas, left + columns * cell + 2, top + rows * cell + 2);
    const small = new OffscreenCanvas(columns, rows);
    small.getContext("2d").putImageData(mapPixels(layer, state.head), 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, left, top, columns * cell, rows * cell);
    if (cell >= 6) hatch(context, layer);
    if (labels) {
      context.fillStyle = color("--text2");
      context.textBaseline = "middle";
      context.textAlign = "right";
      layer.queries.forEach((token, i) => {
        context.fillStyle = color(i === state.query ? "--query" : "--text2");
        context.fillText(shortened(context, token, left - 8), left - 6, top + (i + 0.5) * cell);
      });
      context.textAlign = "left";
      layer.keys.forEach((token, j) => {
        context.save();
        context.translate(left + (j + 0.5) * cell, top - 6);
        context.rotate(-Math.PI / 2);
        context.fillStyle = color(j === state.key ? "--key" : "--text2");
        context.fillText(shortened(context, token, top - 8), 0, 0);
        context.restore();
      });
    }
    if (cell >= 6) {
      context.strokeStyle = "#ffffff";
      context.lineWidth = 2;
      context.strokeRect(left + state.key * cell + 1, top + state.query * cell + 1, cell - 2, cell - 2);
    }
    canvas.setAttribute("aria-label", data.stage + " of head " + layer.heads[state.head] + ", layer " + layer.layer);
  }

  function strongestArcs(layer) {
    const arcs = [];
    for (let i = 0; i < layer.queries.length; ++i) {
      for (let j = 0; j < layer.keys.length; ++j) {
        const k = at(layer, state.head, i, j);
        if (layer.bits[k] !== HIDDEN && layer.values[k] >= state.least) arcs.push([layer.values[k], i, j]);
      }
    }
    arcs.sort((a, b) => b[0] - a[0]);
    return arcs.slice(0, 4000);
  }

  function drawArcs() {
    const layer = layerNow(), height = 22;
    const rows = Math.max(layer.queries.length, layer.keys.length);
    const context = sized(byId("arcs"), 460, rows * height + 8);
    context.textBaseline = "middle";
    for (const [value, i, j] of strongestArcs(layer)) {
      context.globalAlpha = Math.min(1, value);
      context.strokeStyle = i === state.query ? color("--accent") : color("--text2");
      context.lineWidth = i === state.query ? 2.5 : 1.5;
      context.beginPath();
      context.moveTo(140, (i + 0.5) * height);
      context.bezierCurveTo(230, (i + 0.5) * height, 230, (j + 0.5) * height, 320, (j + 0.5) * height);
      context.stroke();
    }
    context.globalAlpha = 1;
    context.textAlign = "right";
    layer.queries.forEach((token, i) => {
      context.fillStyle = color(i === state.query ? "--query" : "--text");
      context.fillText(shortened(context, token, 128), 134, (i + 0.5) * height);
    });
    context.textAlign = "left";
    layer.keys.forEach((token, j) => {
      context.fillStyle = color(j === state.key ? "--key" : "--text");
      context.fillText(shortened(context, token, 128), 326, (j + 0.5) * height);
    });
  }

  function piece(text, role) {
    const span = document.createElement("span");
    span.textContent = text;
    if (role) span.className = role;
    return span;
  }

  // The number of a cell, as text.
  function show(head, i, j) {
    const layer = layerNow(), k = at(layer, head, i, j);
    const value = layer.bits[k] === HIDDEN ? "hidden by the mask" : numberText(layer.values[k]);
    byId("readout").replaceChildren(
      piece(layer.queries[i], "query"), piece(" → "), piece(layer.keys[j], "key"),
      piece(" · " + data.stage + " · layer " + layer.layer + " · head " + layer.heads[head] +
            " · query " + i + " · key " + j + " · "), piece(value, "value"));
  }

  function drawLarge() {
    byId("name").textContent = data.stage + ", head " + layerNow().heads[state.head];
    byId("map").hidden = state.view === "arcs";
    byId("arcs").hidden = state.view !== "arcs";
    byId("least-row").hidden = state.view !== "arcs";
    byId("as-map").setAttribute("aria-pressed", String(state.view !== "arcs"));
    byId("as-arcs").setAttribute("aria-pressed", String(state.view === "arcs"));
    byId("per-row").setAttribute("aria-pressed", String(state.perRow));
    byId("low").textContent = state.perRow ? "row's lowest" : numberText(Math.fround(data.low));
    byId("high").textContent = state.perRow ? "highest" : numberText(Math.fround(data.high));
    if (state.view === "arcs") drawArcs(); else drawMap();
    for (const [head, figure] of [...byId("grid").children].entries()) {
      figure.setAttribute("aria-current", String(head === state.head));
    }
  }

  function pick(head, i, j) {
    Object.assign(state, { head, query: i, key: j });
    show(head, i, j);
    drawLarge();
  }

  function moveByKey(event) {
    const layer = layerNow(), last = [layer.queries.length - 1, layer.keys.length - 1];
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
                    Home: [0, -last[1]], End: [0, last[1]], PageUp: [-last[0], 0], PageDown: [last[0], 0] };
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    pick(state.head, Math.min(last[0], Math.max(0, state.query + step[0])),
         Math.min(last[1], Math.max(0, state.key + step[1])));
  }

  function cellOfMap(event) {
    const layer = layerNow(), box = byId("map").getBoundingClientRect();
    const j = Math.floor((event.clientX - box.left - place.left) / place.cell);
    const i = Math.floor((event.clientY - box.top - place.top) / place.cell);
    return i >= 0 && j >= 0 && i < layer.queries.length && j < layer.keys.length ? [i, j] : null;
  }

  function drawAll() {
    const layer = layerNow();
    state.head = Math.min(state.head, layer.heads.length - 1);
    state.query = Math.min(state.query, layer.queries.length - 1);
    state.key = Math.min(state.key, layer.keys.length - 1);
    drawGrid();
    drawLarge();
    show(state.head, state.query, state.key);
  }

  function drawBar() {
    const bar = byId("bar"), image = new ImageData(256, 1);
    for (let k = 0; k < 256; ++k) image.data.set([...data.table.subarray(3 * k, 3 * k + 3), 255], 4 * k);
    bar.width = 256;
    bar.height = 1;
    bar.getContext("2d").putImageData(image, 0, 0);
  }

  function showLayers() {
    byId("layer").replaceChildren(...data.layers.map((layer, k) => new Option(String(layer.layer), String(k))));
    byId("layer-row").hidden = data.layers.length < 2;
    byId("layer").value = String(state.layer);
  }

  // What a stop of a lesson shows.
  function showStop(k) {
    const stop = page.stops[k];
    data = sets[stop.set];
    state.layer = Math.max(0, data.layers.findIndex((each) => each.layer === stop.layer));
    state.head = Math.max(0, layerNow().heads.indexOf(stop.head));
    Object.assign(state, { query: stop.query, key: stop.key, perRow: data.per_row });
    [...document.querySelectorAll("#stops li")].forEach((item, n) => item.setAttribute("aria-current", String(n === k)));
    showLayers();
    drawBar();
    drawAll();
  }

  function start() {
    showLayers();
    byId("layer").addEventListener("change", (event) => { state.layer = Number(event.target.value); drawAll(); });
    byId("as-map").addEventListener("click", () => { state.view = "map"; drawLarge(); });
    byId("as-arcs").addEventListener("click", () => { state.view = "arcs"; drawLarge(); });
    byId("per-row").addEventListener("click", () => { state.perRow = !state.perRow; drawAll(); });
    byId("least").value = String(state.least);
    byId("least").addEventListener("input", (event) => { state.least = Number(event.target.value); drawLarge(); });
    byId("theme").addEventListener("click", () => {
      const root = document.documentElement;
      const themes = ["dark", "light", "contrast"];
      root.dataset.theme = themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length];
      drawAll();
    });
    const map = byId("map");
    map.addEventListener("pointermove", (event) => { const cell = cellOfMap(event); if (cell) show(state.head, ...cell); });
    map.addEventListener("pointerdown", (event) => { const cell = cellOfMap(event); if (cell) pick(state.head, ...cell); });
    map.addEventListener("focus", () => show(state.head, state.query, state.key));
    byId("arcs").addEventListener("focus", () => show(state.head, state.query, state.key));
    for (const id of ["map", "arcs"]) byId(id).addEventListener("keydown", moveByKey);
    state.head = Math.max(0, layerNow().heads.indexOf(data.head));
    window.addEventListener("resize", drawLarge);
    [...document.querySelectorAll("#stops button")].forEach((each, k) => each.addEventListener("click", () => showStop(k)));
    if (page.stops) return showStop(0);
    drawBar();
    drawAll();
  }
  start();
})();
