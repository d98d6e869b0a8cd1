// WebGL's answers about its own state, from what was set. Dear ImGui saves and restores the state in every frame, and the
// browser answers each question only when the process that draws has caught up: 13 of them cost more than all the rest.
Module.mirrorState = gl => {
  const known = new Map(), ask = gl.getParameter.bind(gl), isOn = gl.isEnabled.bind(gl);
  let unit = gl.TEXTURE0;
  const answers = {  // what is known after each call, by its arguments
    activeTexture: at => { unit = at; },
    useProgram: program => known.set(gl.CURRENT_PROGRAM, program),
    bindVertexArray: array => known.set(gl.VERTEX_ARRAY_BINDING, array),
    viewport: (...box) => known.set(gl.VIEWPORT, new Int32Array(box)),
    scissor: (...box) => known.set(gl.SCISSOR_BOX, new Int32Array(box)),
    colorMask: (...mask) => known.set(gl.COLOR_WRITEMASK, mask.map(Boolean)),
    enable: what => known.set("on" + what, true),
    disable: what => known.set("on" + what, false),
    blendEquation: mode => known.set(gl.BLEND_EQUATION_RGB, mode).set(gl.BLEND_EQUATION_ALPHA, mode),
    blendEquationSeparate: (rgb, alpha) => known.set(gl.BLEND_EQUATION_RGB, rgb).set(gl.BLEND_EQUATION_ALPHA, alpha),
    blendFunc: (from, to) => answers.blendFuncSeparate(from, to, from, to),
    blendFuncSeparate: (fromRgb, toRgb, fromAlpha, toAlpha) =>
      known.set(gl.BLEND_SRC_RGB, fromRgb).set(gl.BLEND_DST_RGB, toRgb).set(gl.BLEND_SRC_ALPHA, fromAlpha).set(
        gl.BLEND_DST_ALPHA, toAlpha),
    bindBuffer: (target, buffer) => {
      if (target === gl.ARRAY_BUFFER) known.set(gl.ARRAY_BUFFER_BINDING, buffer);
    },
    bindFramebuffer: (target, buffer) => {
      if (target !== gl.READ_FRAMEBUFFER) known.set(gl.DRAW_FRAMEBUFFER_BINDING, buffer);
      if (target !== gl.DRAW_FRAMEBUFFER) known.set(gl.READ_FRAMEBUFFER_BINDING, buffer);
    },
    bindTexture: (target, texture) => {
      if (target === gl.TEXTURE_2D) known.set("texture" + unit, texture);
    },
    bindSampler: (at, sampler) => known.set("sampler" + at, sampler),
    // Deleting what is bound unbinds it; it is asked for once more.
    deleteTexture: texture => known.forEach((value, name) => value === texture && known.delete(name)),
    deleteBuffer: buffer => answers.deleteTexture(buffer),
    deleteFramebuffer: buffer => answers.deleteTexture(buffer),
    deleteVertexArray: array => answers.deleteTexture(array),
    deleteSampler: sampler => answers.deleteTexture(sampler),
  };
  for (const name of Object.keys(answers)) {
    const call = gl[name].bind(gl), note = answers[name];
    gl[name] = (...words) => {
      call(...words);
      note(...words);
    };
  }
  const nameOf = what => what === gl.TEXTURE_BINDING_2D ? "texture" + unit
    : what === gl.SAMPLER_BINDING ? "sampler" + (unit - gl.TEXTURE0) : what;
  const mirrored = new Set([gl.CURRENT_PROGRAM, gl.VERTEX_ARRAY_BINDING, gl.VIEWPORT, gl.SCISSOR_BOX, gl.COLOR_WRITEMASK,
    gl.BLEND_EQUATION_RGB, gl.BLEND_EQUATION_ALPHA, gl.BLEND_SRC_RGB, gl.BLEND_DST_RGB, gl.BLEND_SRC_ALPHA,
    gl.BLEND_DST_ALPHA, gl.ARRAY_BUFFER_BINDING, gl.DRAW_FRAMEBUFFER_BINDING, gl.READ_FRAMEBUFFER_BINDING,
    gl.TEXTURE_BINDING_2D, gl.SAMPLER_BINDING, gl.MAX_TEXTURE_SIZE]);
  gl.getParameter = what => {
    if (what === gl.ACTIVE_TEXTURE) return unit;
    if (!mirrored.has(what)) return ask(what);
    const name = nameOf(what);
    if (!known.has(name)) known.set(name, ask(what));
    return known.get(name);
  };
  gl.isEnabled = what => {
    if (!known.has("on" + what)) known.set("on" + what, isOn(what));
    return known.get("on" + what);
  };
  // For tests: the names of what the mirror and WebGL answer differently.
  gl.wrongAnswers = () => [...known.keys()].filter(name => typeof name === "number" && [].concat(ask(name)).join() !==
    [].concat(known.get(name)).join());
};
