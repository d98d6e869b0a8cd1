// The first lines of a script: imports, what prints a stage, sizes, inputs, weights.
#include <fmt/format.h>

#include <algorithm>

#include "core/attention/projection_steps.h"
#include "core/model/past.h"
#include "core/request/request_text.h"
#include "core/script/script_writer.h"

namespace headscope {
namespace {

bool is_seeded(const Trace& trace) {
  return trace.inputs->checkpoint == nullptr && trace.request.weights.empty() && trace.inputs->query.empty();
}

bool draws_key_input(const Trace& trace) {
  return trace.request.embedding == Embedding::sequence && trace.request.key_phrase.has_value() &&
         trace.inputs->checkpoint == nullptr;
}

// What reads the data file: its format is 8 bytes of length, a JSON header, float32 values.
void write_reader(ScriptWriter& w) {
  w.line();
  w.line();
  w.line("def read_tensors(name):");
  w.line("    \"\"\"The tensors of a safetensors file beside this script.\"\"\"");
  w.line("    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)");
  w.line("    with open(path, \"rb\") as file:");
  w.line("        header = json.loads(file.read(int.from_bytes(file.read(8), \"little\")))");
  w.line("        values = file.read()");
  w.line("    tensors = {}");
  w.line("    for key, entry in header.items():");
  w.line("        if key != \"__metadata__\":");
  w.line("            begin, end = entry[\"data_offsets\"]");
  w.line(
      "            tensors[key] = torch.frombuffer(bytearray(values[begin:end]), "
      "dtype=torch.float32).reshape(entry[\"shape\"])",
      "            tensors[key] = np.frombuffer(values[begin:end], dtype=\"<f4\").reshape(entry[\"shape\"])");
  w.line("    return tensors");
}

void write_stage_function(ScriptWriter& w) {
  w.line();
  w.line();
  w.line("def stage(name, tensor):");
  w.line("    \"\"\"Prints a line about a tensor, and keeps it under its name.\"\"\"");
  w.line("    finite = tensor[torch.isfinite(tensor)].double()",
         "    finite = tensor[np.isfinite(tensor)].astype(np.float64)");
  w.line(
      "    low, high, mean = (f(finite).item() for f in (torch.min, torch.max, torch.mean)) if len(finite) else "
      "(math.nan,) * 3",
      "    low, high, mean = (f(finite) for f in (np.min, np.max, np.mean)) if len(finite) else (math.nan,) * 3");
  w.line("    print(f\"{name:16} {str(list(tensor.shape)):24} min {low:.7g}  max {high:.7g}  mean {mean:.7g}\")");
  w.line("    stages[name] = tensor");
  w.line("    return tensor");
}

void write_softmax(ScriptWriter& w) {
  if (w.torch()) return;
  w.line();
  w.line();
  w.line("def softmax(scores, axis):");
  w.line("    \"\"\"exp(s - max) / sum; NaN where every score is -inf, as torch.softmax gives.\"\"\"");
  w.line("    with np.errstate(invalid=\"ignore\"):");
  w.line("        powers = np.exp(scores - scores.max(axis=axis, keepdims=True))");
  w.line("        return powers / powers.sum(axis=axis, keepdims=True)");
}

void write_positions(ScriptWriter& w) {
  w.line();
  w.line();
  w.line("def with_positions(x):");
  w.line("    \"\"\"x plus the sines and cosines of 'Attention Is All You Need', 3.5.\"\"\"");
  w.line("    position = torch.arange(x.shape[1], dtype=torch.float64)[:, None]");
  w.line("    feature = torch.arange(x.shape[2])");
  w.line("    angle = position / 10000 ** ((feature - feature % 2) / x.shape[2]).double()");
  w.line("    return x + torch.where(feature % 2 == 0, angle.sin(), angle.cos()).float()");
}

std::string tokens_comment(const std::vector<std::string>& tokens) {
  constexpr std::size_t kMost = 16, kLongest = 160;
  std::string words;
  for (std::size_t i = 0; i < std::min(kMost, tokens.size()); ++i) words += (i == 0 ? "" : " | ") + tokens[i];
  if (tokens.size() > kMost) words += " | ...";
  return fmt::format("{} tokens: {}", tokens.size(), comment_text(words, kLongest));
}

// The rows of one linear layer drawn by torch.nn.Linear, as names that later lines use.
void draw_linear_lines(ScriptWriter& w, const Trace& trace, const std::string& name, const Linear& linear) {
  if (linear.empty()) return;
  w.line(fmt::format("{}_layer = torch.nn.Linear({}, {})", name, linear.weight.dim(1), linear.weight.dim(0)));
  const double gain = trace.request.init_gain;
  w.line(fmt::format("{0}_weight, {0}_bias = {0}_layer.weight{1}, {0}_layer.bias", name,
                     gain == 1.0 ? std::string() : fmt::format(" * {}", python_number(gain))));
}

// The same from the data file; `key` as the contract names the tensors of a layer.
void read_linear_lines(ScriptWriter& w, const std::string& name, const std::string& weight, const std::string& bias,
                       const Linear& linear) {
  if (linear.empty()) return;
  w.line(fmt::format("{}_weight = {}", name, w.data(weight, linear.weight)));
  if (!linear.bias.empty()) w.line(fmt::format("{}_bias = {}", name, w.data(bias, linear.bias)));
}

void write_weights(ScriptWriter& w, const Trace& trace) {
  const LayerWeights& weights = trace.inputs->weights;
  const bool drawn = w.torch() && draws_weights(trace);
  if (drawn) {
    w.section({}, fmt::format("weights: as torch draws them after manual_seed({})", trace.request.seed));
    if (!draws_input(trace) && !draws_key_input(trace)) {
      w.line(fmt::format("torch.manual_seed({})", trace.request.seed));
    }
    draw_linear_lines(w, trace, "qkv", weights.qkv);
    draw_linear_lines(w, trace, "query", weights.query);
    draw_linear_lines(w, trace, "key", weights.key);
    draw_linear_lines(w, trace, "value", weights.value);
    draw_linear_lines(w, trace, "output", weights.output);
    return;
  }
  if (weights.empty()) return;
  w.section({}, fmt::format("weights: {}", comment_text(weights.source, 80)));
  const bool blocked = weights.fused() && weights.qkv_layout == QkvLayout::blocked;
  if (blocked) {
    read_linear_lines(w, "qkv", "in_proj_weight", "in_proj_bias", weights.qkv);
  } else {
    read_linear_lines(w, "qkv", "qkv_layer.weight", "qkv_layer.bias", weights.qkv);
  }
  read_linear_lines(w, "query", "queries.weight", "queries.bias", weights.query);
  read_linear_lines(w, "key", "keys.weight", "keys.bias", weights.key);
  read_linear_lines(w, "value", "values.weight", "values.bias", weights.value);
  const std::string output = blocked ? "out_proj" : weights.fused() ? "linear_layer" : "fc_out";
  read_linear_lines(w, "output", output + ".weight", output + ".bias", weights.output);
}

void write_vectors(ScriptWriter& w, const Trace& trace) {
  const Inputs& in = *trace.inputs;
  if (!in.query.empty()) return;
  const bool positions = trace.request.position == Position::sinusoidal;
  const bool draws_x = w.torch() && draws_input(trace), draws_key = w.torch() && draws_key_input(trace);
  const auto drawn = [&](std::int64_t len, const Tensor& x) {
    const std::string randn = fmt::format("torch.randn(batch, {}, {})", len, x.dim(2));
    return positions ? fmt::format("with_positions({})", randn) : randn;
  };
  const std::string tokens = tokens_comment(in.tokens);
  w.section({StageId::input}, "input: " + tokens);
  if (draws_x || draws_key) w.line(fmt::format("torch.manual_seed({})", trace.request.seed));
  w.stage(StageId::input, draws_x ? drawn(in.query_len, in.x) : w.data("input", in.x));
  if (in.key_x.empty()) return;
  w.section({StageId::key_input}, "key_input: " + tokens_comment(in.key_tokens));
  w.stage(StageId::key_input, draws_key ? drawn(in.key_x.dim(1), in.key_x) : w.data("key_input", in.key_x));
  const bool same = in.value_x.empty() || same_storage(in.value_x, in.key_x);
  w.section({StageId::value_input}, "value_input");
  w.stage(StageId::value_input, same ? "key_input" : w.data("value_input", in.value_x));
}

}  // namespace

bool draws_input(const Trace& trace) {
  const Request& r = trace.request;
  return r.embedding == Embedding::sequence && r.input.empty() && trace.inputs->checkpoint == nullptr &&
         trace.inputs->query.empty();
}

bool draws_weights(const Trace& trace) {
  // A weight that was set by hand is not what torch draws.
  const std::vector<NumberEdit>& edits = trace.request.edits;
  const auto of_weights = [](const NumberEdit& edit) { return edit.on && !stage_named(edit.tensor); };
  return is_seeded(trace) && std::none_of(edits.begin(), edits.end(), of_weights);
}

void write_inputs(ScriptWriter& w, const Trace& trace) {
  const Inputs& in = *trace.inputs;
  w.section({}, "made by Headscope");
  w.line("# " + command_comment(trace));
  w.line(fmt::format("# python3 {}.py [FOLDER]    with FOLDER, every stage is written there as STAGE.npy",
                     comment_text(w.stem(), 200)));
  w.line("import json");
  w.line("import math");
  w.line("import os");
  w.line("import sys");
  w.line();
  w.line("import torch", "import numpy as np");
  if (w.torch()) {
    w.line("import torch.nn.functional as F");
    w.line();
    w.line("torch.set_grad_enabled(False)");
  }
  w.line("stages = {}");
  // Which data there is turns out below; a reader that reads nothing would only be in the way.
  const bool all_drawn = w.torch() && draws_input(trace) && draws_weights(trace) && in.mask_files.empty() &&
                         past_len(in) == 0 && !is_painted(trace.request) && trace.request.dropout == 0 &&
                         in.dropout_mask.empty() &&
                         (in.key_x.empty() || (draws_key_input(trace) && same_storage(in.value_x, in.key_x)));
  if (!all_drawn) write_reader(w);
  write_stage_function(w);
  write_softmax(w);
  if (w.torch() && trace.request.position == Position::sinusoidal && (draws_input(trace) || draws_key_input(trace))) {
    write_positions(w);
  }
  w.line();
  w.line();
  if (!all_drawn) w.line(fmt::format("data = read_tensors({})", python_string(w.stem() + ".safetensors")));
  w.line(fmt::format("batch, query_len, key_len = {}, {}, {}", in.batch, in.query_len, in.key_len));
  if (past_len(in) > 0) w.line(fmt::format("past_len = {}  # of the keys", past_len(in)));
  w.line(fmt::format("num_heads, num_kv_heads = {}, {}", in.num_heads, in.num_kv_heads));
  w.line(fmt::format("head_dim, value_head_dim = {}, {}", in.head_dim, in.value_head_dim));
  write_vectors(w, trace);
  write_weights(w, trace);
}

}  // namespace headscope
