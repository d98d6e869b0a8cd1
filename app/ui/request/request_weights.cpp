// Request, Model: where the weights come from, and what a checkpoint fixes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "app/session/documents.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/file_choice.h"
#include "app/ui/request/request_adapters.h"
#include "app/ui/request/request_panel.h"
#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/model/checkpoint.h"
#include "core/model/demo_checkpoints.h"
#include "core/request/model_kind.h"
#include "core/request/model_text.h"

namespace headscope::ui {

namespace {

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// What the combo offers: a name, and what picking it does.
struct WeightsChoice {
  std::string label;
  enum class Kind { seeded, model, layer_file, open_folder, open_file, add_adapter } kind = Kind::seeded;
  std::string value;  // of --model
};

std::string label_of_model(const std::string& model) {
  if (model.starts_with("demo:")) return "demo: " + model.substr(5);
  return file_name(model);
}

std::vector<WeightsChoice> weights_choices(const Ui& ui) {
  using Kind = WeightsChoice::Kind;
  const Request& draft = ui.session.draft;
  std::vector<WeightsChoice> choices;
  std::vector<std::string> models;
  static const std::vector<std::string> demos = demo_names();  // what is installed does not change
  for (const std::string& name : demos) models.push_back("demo:" + name);
  // A name without an ending is a folder: recent files are sessions, pictures, layers and checkpoints.
  for (const std::string& path : ui.settings.recent_files) {
    if (models.size() < 8 && file_name(path).find('.') == std::string::npos) models.push_back(path);
  }
  const std::string base = base_of_model(draft.model);
  if (is_checkpoint(draft) && std::find(models.begin(), models.end(), base) == models.end()) models.push_back(base);
  for (const std::string& model : models) choices.push_back({label_of_model(model), Kind::model, model});
  choices.push_back({"seeded", Kind::seeded, ""});
  if (!draft.weights.empty()) choices.push_back({file_name(draft.weights), Kind::layer_file, draft.weights});
  choices.push_back({"Open folder...", Kind::open_folder, ""});
  choices.push_back({"One layer's file...", Kind::open_file, ""});
  if (runs_checkpoint(draft)) choices.push_back({"Add an adapter...", Kind::add_adapter, ""});
  return choices;
}

bool is_current(const WeightsChoice& choice, const Request& draft) {
  switch (choice.kind) {
    case WeightsChoice::Kind::seeded:
      return draft.weights.empty() && draft.model == "seeded";
    case WeightsChoice::Kind::model:
      return is_checkpoint(draft) && base_of_model(draft.model) == choice.value;
    case WeightsChoice::Kind::layer_file:
      return draft.weights == choice.value;
    default:
      return false;
  }
}

// The words that named the tokens of a capture, or those of the demo where nothing did.
std::string phrase_of_capture(const Ui& ui) {
  const auto trace = ui.session.trace();
  const bool named = trace != nullptr && trace->model != nullptr && trace->model->capture != nullptr &&
                     (trace->model->capture->named_tokens || !trace->request.phrase.empty());
  return named ? fmt::format("{}", fmt::join(trace->inputs->tokens, " ")) : demo_document().request.phrase;
}

void choose_weights(Ui& ui, const WeightsChoice& choice) {
  switch (choice.kind) {
    case WeightsChoice::Kind::seeded: {
      Document document = seeded_document(ui.session.draft, ui.session.view, ui.session.document.given_phrase);
      if (runs_capture(ui.session.draft)) document.request.phrase = phrase_of_capture(ui);
      return ui.session.open(document.request, document.view, document.identity());
    }
    case WeightsChoice::Kind::model:
      return ui.push(CommandId::open_path, choice.value);
    case WeightsChoice::Kind::open_folder:
      return ui.push(CommandId::open_folder);
    case WeightsChoice::Kind::open_file:
      return ui.push(CommandId::choose_weights);
    case WeightsChoice::Kind::add_adapter:
      ui.state.panels.get<FileChoice>() = {.purpose = "adapter"};
      ui.state.dialog = DialogKind::choose_file;
      return;
    case WeightsChoice::Kind::layer_file:
      return;
  }
}

}  // namespace

// Side by side while there are few.
void draw_layer(RequestRows& rows, const std::vector<std::int64_t>& layers) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const char* tip = "The layer that the panels show; all are computed. F3 shows all of them at once.";
  const auto found = std::find(layers.begin(), layers.end(), draft.layer.value_or(layers.back()));
  const auto set = [&](std::int64_t layer) {
    draft.layer = layer;
    ui.session.view.layers.layer = layer;
  };
  if (layers.size() <= 6) {
    std::vector<std::string> items;
    for (const std::int64_t layer : layers) items.push_back(std::to_string(layer));
    int selected = found == layers.end() ? -1 : static_cast<int>(found - layers.begin());
    if (segments(ui, "request/layer", rows.control("layer"), items, selected, rows.state("layer", tip))) {
      set(layers[static_cast<std::size_t>(selected)]);
    }
  } else {
    std::int64_t layer = draft.layer.value_or(layers.back());
    if (stepper(ui, "request/layer", rows.control("layer"), layer,
                {.choices = layers, .low = layers.front(), .high = layers.back()}, rows.state("layer", tip))) {
      set(layer);
    }
  }
  rows.problem("layer");
}

bool is_checkpoint(const Request& draft) {
  return draft.weights.empty() && draft.model != "seeded" && !is_attention_alone(draft);
}

void draw_weights(RequestRows& rows) {
  Ui& ui = rows.ui;
  const std::vector<WeightsChoice> choices = weights_choices(ui);
  std::vector<std::string> items;
  int selected = -1;
  for (const WeightsChoice& choice : choices) {
    if (selected < 0 && is_current(choice, ui.session.draft)) selected = static_cast<int>(items.size());
    items.push_back(choice.label);
  }
  const int before = selected;
  const std::string option = rows.has_problem("model") ? "model" : "weights";
  const ControlState state =
      rows.state(option,
                 "Where the weights come from: a trained checkpoint, one layer drawn by the "
                 "seed as torch.nn.Linear does, or one layer of a .safetensors or .pt file. Adapters are added to a "
                 "checkpoint.");
  if (combo(ui, "request/weights", rows.control("weights"), items, selected, {state, Type::words12, true}) &&
      selected != before && selected >= 0 && selected < static_cast<int>(choices.size())) {
    choose_weights(ui, choices[static_cast<std::size_t>(selected)]);
  }
  rows.problem(option);
  draw_adapters(rows);
}

// What a checkpoint fixes; known from the last result of the same model.
void draw_checkpoint(RequestRows& rows) {
  const Request& draft = rows.ui.session.draft;
  const auto trace = rows.ui.session.trace();
  const bool known = trace != nullptr && trace->model != nullptr && same_base(trace->request.model, draft.model);
  const char* why = "Fixed by the checkpoint: its config.json or metadata say so, and its tensors have these shapes.";
  const std::string unknown = "\xE2\x80\x94";
  if (!known) {
    rows.problem("layer");
    for (const char* label : {"num_heads", "d_model", "head_dim"}) rows.locked(label, unknown, why);
    return;
  }
  const Inputs& inputs = *trace->inputs;
  std::vector<std::int64_t> layers(trace->model->layers.size());
  std::iota(layers.begin(), layers.end(), 0);
  draw_layer(rows, layers);
  rows.locked("num_heads", std::to_string(inputs.num_heads), why);
  if (inputs.num_kv_heads != inputs.num_heads) {
    rows.locked("num_kv_heads", std::to_string(inputs.num_kv_heads), why);
  }
  rows.locked("d_model", std::to_string(inputs.d_model), why);
  const bool divides = inputs.num_heads * inputs.head_dim == inputs.d_model;
  rows.locked("head_dim",
              divides ? fmt::format("{} / {} = {}", inputs.d_model, inputs.num_heads, inputs.head_dim)
                      : std::to_string(inputs.head_dim),
              divides ? nullptr : why);
  if (inputs.checkpoint) rows.locked("family", inputs.checkpoint->architecture().family, why);
}

}  // namespace headscope::ui
