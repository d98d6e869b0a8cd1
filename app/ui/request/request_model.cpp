// Request, Model: how large everything is.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/session/session.h"
#include "app/ui/request/request_panel.h"
#include "core/request/model_kind.h"
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

// A row that edits one option.
struct OptionRow {
  const char* label = "";
  const char* control = "";  // its name
  const char* option = "";   // as the command line spells it
  const char* tooltip = "";
};

// A size as the request has it, and what it may become.
struct ShownSize {
  std::int64_t value = 0;
  std::vector<std::int64_t> choices = {};                // what - and + walk through; empty: every number
  std::optional<std::int64_t> automatic = std::nullopt;  // the size for which the option is taken out of the request;
                                                         // nullopt: typing the default keeps it explicit
};

void draw_size(RequestRows& rows, const OptionRow& row, std::optional<std::int64_t>& field, ShownSize size) {
  if (stepper(rows.ui, row.control, rows.control(row.label), size.value,
              {.choices = size.choices, .low = 1, .high = kMost}, rows.state(row.option, row.tooltip))) {
    if (size.value == size.automatic) {
      field.reset();
    } else {
      field = size.value;
    }
  }
  rows.problem(row.option);
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
void draw_choice(RequestRows& rows, const OptionRow& row, Enum& field, const std::vector<std::string>& items) {
  int selected = static_cast<int>(field);
  if (combo(rows.ui, row.control, rows.control(row.label), items, selected,
            {rows.state(row.option, row.tooltip), Type::words12})) {
    field = static_cast<Enum>(selected);
  }
  rows.problem(row.option);
}

void draw_further_sizes(RequestRows& rows, const Sizes& sizes) {
  Request& draft = rows.ui.session.draft;
  const bool words = draft.input.empty();
  const Inputs* known = known_sizes(rows.ui);
  if (draft.weights.empty() && words) {
    draw_size(rows,
              {.label = "input_dim",
               .control = "request/input_dim",
               .option = "input-dim",
               .tooltip = "Features of x before the projections: x is [batch, seq_len, input_dim]; default d_model."},
              draft.input_dim, {.value = sizes.input_dim, .automatic = sizes.d_model});
  } else {
    rows.locked("input_dim", known != nullptr ? std::to_string(known->input_dim) : "\xE2\x80\x94",
                "Fixed by the file: the width of its x or of its weights.");
  }
  if (words) {
    draw_size(
        rows,
        {.label = "batch",
         .control = "request/batch",
         .option = "batch",
         .tooltip = "How many sequences are drawn and computed at once; with words every one holds the same phrase."},
        draft.batch, {.value = sizes.batch, .automatic = 1});
  } else {
    rows.locked("batch", known != nullptr ? std::to_string(known->batch) : "\xE2\x80\x94",
                "Fixed by the input file: its first axis.");
  }
  draw_size(rows,
            {.label = "num_kv_heads",
             .control = "request/kv_heads",
             .option = "kv-heads",
             .tooltip = "Heads of key and value; fewer than num_heads share theirs: head h reads key head h / "
                        "(num_heads / num_kv_heads)."},
            draft.kv_heads,
            {.value = sizes.kv_heads,
             .choices = divisors_of(std::max<std::int64_t>(1, sizes.heads)),
             .automatic = sizes.heads});
}

// How weights and vectors are made, and what they are taken for.
void draw_making(RequestRows& rows) {
  Request& draft = rows.ui.session.draft;
  if (draft.weights.empty()) {
    double gain = draft.init_gain;
    if (number_field(
            rows.ui, "request/init_gain", rows.control("init gain"), gain, false,
            rows.state("init-gain", "Multiplies every seeded weight matrix: larger gains give sharper weights."))) {
      draft.init_gain = gain;
    }
    rows.problem("init-gain");
    draw_choice(
        rows,
        {.label = "embedding",
         .control = "request/embedding",
         .option = "embedding",
         .tooltip = "token: the same word has the same vector everywhere; sequence: one torch.randn over all of "
                    "x, as the tutorials do."},
        draft.embedding, {"token", "sequence"});
  }
  draw_choice(rows,
              {.label = "position",
               .control = "request/position",
               .option = "position",
               .tooltip = "sinusoidal adds sin and cos of pos / 10000^(f / input_dim) to x."},
              draft.position, {"none", "sinusoidal"});
  draw_choice(rows,
              {.label = "qkv rows",
               .control = "request/qkv_layout",
               .option = "qkv-layout",
               .tooltip = "How a fused projection's rows lie: [q_h k_h v_h] per head, or [Q K V] blocked; automatic "
                          "goes by the tensor names."},
              draft.qkv_layout, {"automatic", "per head", "blocked"});
}

// Without a layer: nothing is projected.
void draw_attention_alone(RequestRows& rows) {
  const Inputs* known = known_sizes(rows.ui);
  const char* why = "Attention alone: query, key and value come from files, nothing is projected.";
  rows.locked("weights", "none", why);
  rows.locked("num_heads", known != nullptr ? std::to_string(known->num_heads) : "\xE2\x80\x94", why);
  rows.locked("head_dim", known != nullptr ? std::to_string(known->head_dim) : "\xE2\x80\x94", why);
  rows.y += rows.ui.px(6);
}

}  // namespace

void draw_model_section(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  rows.section("Model");
  if (is_attention_alone(draft)) {
    draw_attention_alone(rows);
    return rows.end_section();
  }
  draw_weights(rows);
  if (is_checkpoint(draft)) {
    runs_capture(draft) ? draw_capture(rows) : draw_checkpoint(rows);
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
    draw_size(rows,
              {.label = "d_model",
               .control = "request/d_model",
               .option = "d-model",
               .tooltip = "Width of the layer: num_heads * head_dim; concat and output are [batch, seq_len, d_model]."},
              draft.d_model, {.value = sizes.d_model, .choices = widths});
  } else {
    rows.locked("d_model", known != nullptr ? std::to_string(known->d_model) : "\xE2\x80\x94",
                "Fixed by the weights: the rows of their output projection.");
  }
  const bool heads_fixed = !seeded && known != nullptr && known->weights.num_heads.has_value();
  if (heads_fixed) {
    rows.locked("num_heads", std::to_string(*known->weights.num_heads), "Fixed by the file: its metadata num_heads.");
  } else {
    draw_size(rows,
              {.label = "num_heads",
               .control = "request/num_heads",
               .option = "heads",
               .tooltip = "Into how many heads d_model is split; - and + walk through its divisors."},
              draft.heads, {.value = sizes.heads, .choices = divisors_of(std::max<std::int64_t>(1, sizes.d_model))});
  }
  const bool divides = sizes.heads > 0 && sizes.d_model > 0 && sizes.d_model % sizes.heads == 0;
  rows.locked(
      "head_dim",
      divides ? fmt::format("{} / {} = {}", sizes.d_model, sizes.heads, sizes.d_model / sizes.heads) : "\xE2\x80\x94",
      nullptr);
  if (disclosure(rows, "request/more", "input_dim, batch, init gain \xE2\x80\xA6", further_rows_changed(ui))) {
    draw_further_sizes(rows, sizes);
    draw_making(rows);
  }
  rows.end_section();
}

}  // namespace headscope::ui
