// Request, Model: how large everything is.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/session/session.h"
#include "app/ui/request/request_panel.h"
#include "core/request/problem.h"

namespace headscope::ui {

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 20;

// Sizes of the last result, when it is of the same weights and inputs: what a file dictates.
const Inputs* known_sizes(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return nullptr;
  const Request& d = ui.session.draft;
  const Request& r = trace->request;
  return d.model == r.model && d.weights == r.weights && d.input == r.input && d.query == r.query ? trace->inputs.get()
                                                                                                  : nullptr;
}

// An optional size with its default; typing the default keeps it explicit.
void draw_size(RequestRows& rows, const char* label, const char* name, const char* option,
               std::optional<std::int64_t>& field, std::int64_t value, const std::vector<std::int64_t>& choices,
               const char* tooltip, bool undo_to_default = false, std::int64_t fallback = 0) {
  Ui& ui = rows.ui;
  if (stepper(ui, name, rows.control(label), value, choices, 1, kMost, rows.state(option, tooltip))) {
    if (undo_to_default && value == fallback) {
      field.reset();
    } else {
      field = value;
    }
  }
  rows.problem(option);
}

struct Sizes {
  std::int64_t d_model, heads, kv_heads, input_dim, batch;
};

Sizes sizes_of(const Request& draft, const Inputs* known) {
  Sizes s{};
  s.d_model = draft.d_model.value_or(known != nullptr && !draft.weights.empty() ? known->d_model : kDefaultModelWidth);
  s.heads = draft.heads.value_or(known != nullptr ? known->num_heads : kDefaultHeads);
  s.kv_heads = draft.kv_heads.value_or(s.heads);
  s.input_dim = draft.input_dim.value_or(
      known != nullptr && (!draft.input.empty() || !draft.weights.empty()) ? known->input_dim : s.d_model);
  s.batch = draft.batch.value_or(known != nullptr && !draft.input.empty() ? known->batch : 1);
  return s;
}

bool further_rows_changed(const Ui& ui) {
  const Request& d = ui.session.draft;
  const Request plain;
  const auto& problem = ui.session.problem();
  const bool at_fault =
      problem && (problem->option == "kv-heads" || problem->option == "input-dim" || problem->option == "batch" ||
                  problem->option == "init-gain" || problem->option == "embedding" || problem->option == "position" ||
                  problem->option == "qkv-layout");
  return at_fault || d.kv_heads || d.input_dim || d.batch || d.init_gain != plain.init_gain ||
         d.embedding != plain.embedding || d.position != plain.position || d.qkv_layout != plain.qkv_layout;
}

template <typename Enum>
void draw_choice(RequestRows& rows, const char* label, const char* name, const char* option, Enum& field,
                 const std::vector<std::string>& items, const char* tooltip) {
  int selected = static_cast<int>(field);
  if (combo(rows.ui, name, rows.control(label), items, selected, rows.state(option, tooltip), Type::words12)) {
    field = static_cast<Enum>(selected);
  }
  rows.problem(option);
}

void draw_further_rows(RequestRows& rows, const Sizes& sizes) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const bool seeded = draft.weights.empty();
  const bool words = draft.input.empty();
  const Inputs* known = known_sizes(ui);
  if (seeded && words) {
    draw_size(rows, "input_dim", "request/input_dim", "input-dim", draft.input_dim, sizes.input_dim, {},
              "Features of x before the projections: x is [batch, seq_len, input_dim]; default d_model.", true,
              sizes.d_model);
  } else {
    rows.locked("input_dim", known != nullptr ? std::to_string(known->input_dim) : "\xE2\x80\x94",
                "Fixed by the file: the width of its x or of its weights.");
  }
  if (words) {
    draw_size(rows, "batch", "request/batch", "batch", draft.batch, sizes.batch, {},
              "How many sequences are drawn and computed at once; with words every one holds the same phrase.", true,
              1);
  } else {
    rows.locked("batch", known != nullptr ? std::to_string(known->batch) : "\xE2\x80\x94",
                "Fixed by the input file: its first axis.");
  }
  draw_size(rows, "num_kv_heads", "request/kv_heads", "kv-heads", draft.kv_heads, sizes.kv_heads,
            divisors_of(std::max<std::int64_t>(1, sizes.heads)),
            "Heads of key and value; fewer than num_heads share theirs: head h reads key head h / (num_heads / "
            "num_kv_heads).",
            true, sizes.heads);
  if (seeded) {
    double gain = draft.init_gain;
    if (number_field(
            ui, "request/init_gain", rows.control("init gain"), gain, false,
            rows.state("init-gain", "Multiplies every seeded weight matrix: larger gains give sharper weights."))) {
      draft.init_gain = gain;
    }
    rows.problem("init-gain");
    draw_choice(rows, "embedding", "request/embedding", "embedding", draft.embedding, {"token", "sequence"},
                "token: the same word has the same vector everywhere; sequence: one torch.randn over all of x, as the "
                "tutorials do.");
  }
  draw_choice(rows, "position", "request/position", "position", draft.position, {"none", "sinusoidal"},
              "sinusoidal adds sin and cos of pos / 10000^(f / input_dim) to x.");
  draw_choice(rows, "qkv rows", "request/qkv_layout", "qkv-layout", draft.qkv_layout,
              {"automatic", "per head", "blocked"},
              "How a fused projection's rows lie: [q_h k_h v_h] per head, or [Q K V] blocked; automatic goes by the "
              "tensor names.");
}

}  // namespace

void draw_model_section(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  rows.section("Model");
  if (is_attention_alone(draft)) {
    const Inputs* known = known_sizes(ui);
    const char* why = "Attention alone: query, key and value come from files, nothing is projected.";
    rows.locked("weights", "none", why);
    rows.locked("num_heads", known != nullptr ? std::to_string(known->num_heads) : "\xE2\x80\x94", why);
    rows.locked("head_dim", known != nullptr ? std::to_string(known->head_dim) : "\xE2\x80\x94", why);
    rows.y += ui.px(6);
    return rows.end_section();
  }
  draw_weights(rows);
  if (is_checkpoint(draft)) {
    draw_checkpoint(rows);
    rows.y += ui.px(6);
    return rows.end_section();
  }
  const bool seeded = draft.weights.empty();
  const Inputs* known = known_sizes(ui);
  const Sizes sizes = sizes_of(draft, known);
  if (seeded) {
    seed_stepper(
        ui, "request/seed", rows.control("seed"), draft.seed,
        rows.state("seed", "torch.manual_seed(seed), then x and the layer are drawn in the tutorials' order."));
    rows.problem("seed");
    static const std::vector<std::int64_t> widths = {8,   16,  32,  48,  64,   96,   128,  192,
                                                     256, 384, 512, 768, 1024, 1536, 2048, 4096};
    draw_size(rows, "d_model", "request/d_model", "d-model", draft.d_model, sizes.d_model, widths,
              "Width of the layer: num_heads * head_dim; concat and output are [batch, seq_len, d_model].");
  } else {
    rows.locked("d_model", known != nullptr ? std::to_string(known->d_model) : "\xE2\x80\x94",
                "Fixed by the weights: the rows of their output projection.");
  }
  const bool heads_fixed = !seeded && known != nullptr && known->weights.num_heads.has_value();
  if (heads_fixed) {
    rows.locked("num_heads", std::to_string(*known->weights.num_heads), "Fixed by the file: its metadata num_heads.");
  } else {
    draw_size(rows, "num_heads", "request/num_heads", "heads", draft.heads, sizes.heads,
              divisors_of(std::max<std::int64_t>(1, sizes.d_model)),
              "Into how many heads d_model is split; - and + walk through its divisors.");
  }
  const bool divides = sizes.heads > 0 && sizes.d_model > 0 && sizes.d_model % sizes.heads == 0;
  rows.locked(
      "head_dim",
      divides ? fmt::format("{} / {} = {}", sizes.d_model, sizes.heads, sizes.d_model / sizes.heads) : "\xE2\x80\x94",
      nullptr);
  if (disclosure(rows, "request/more", "input_dim, batch, init gain \xE2\x80\xA6", further_rows_changed(ui))) {
    draw_further_rows(rows, sizes);
  }
  rows.end_section();
}

}  // namespace headscope::ui
