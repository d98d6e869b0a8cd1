#include "app/ui/main_view_obstacles.h"

#include "app/session/session.h"
#include "app/ui/explain/follow.h"
#include "app/ui/layers/layers_panel.h"
#include "app/ui/mask/mask_panel.h"
#include "app/ui/weights/weights_panel.h"
#include "core/attention/model_trace.h"
#include "core/heads/query_key_scatter.h"
#include "core/model/checkpoint.h"

namespace headscope::ui {
namespace {

constexpr ViewObstacle kNothingComputed{"Nothing is computed yet.", "The view opens when there is a result."};

// Whether the model is a checkpoint with its output head; its layers may still be being computed.
bool says_tokens(const Trace& trace) {
  return trace.model != nullptr && trace.model->checkpoint != nullptr &&
         trace.model->checkpoint->output_head().kind != OutputHead::Kind::none;
}

// Whether it is one stack of layers besides.
bool is_one_stack(const Trace& trace) {
  return says_tokens(trace) && !trace.model->checkpoint->architecture().of_decoder();
}

}  // namespace

std::optional<ViewObstacle> no_result(const Ui& ui) {
  if (ui.session.trace() != nullptr) return std::nullopt;
  return kNothingComputed;
}

std::optional<ViewObstacle> no_layers(const Ui& ui) {
  if (has_layers(ui)) return std::nullopt;
  if (ui.session.trace() == nullptr) return kNothingComputed;
  return ViewObstacle{"There is one layer.",
                      "All layers and heads are shown of a checkpoint: Model, weights, or File, Open folder."};
}

std::optional<ViewObstacle> no_mask(const Ui& ui) {
  if (has_mask_to_paint(ui)) return std::nullopt;
  if (ui.session.trace() == nullptr) return kNothingComputed;
  return ViewObstacle{"There is no mask to paint here.",
                      "Painting needs scores that are computed and kept: no capture, no text too long."};
}

std::optional<ViewObstacle> no_weights(const Ui& ui) {
  if (has_weights(ui)) return std::nullopt;
  if (ui.session.trace() == nullptr) return kNothingComputed;
  return ViewObstacle{"There are no weights.",
                      "Query, key and value came from files, or the attention from a capture: no projection makes "
                      "them."};
}

std::optional<ViewObstacle> no_text(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (trace->find(StageId::weights) != nullptr && trace->query_len() > 0 && trace->key_len() > 0) return std::nullopt;
  return ViewObstacle{"There are no weights to shade a text by.", "They appear when the phrase has a word."};
}

std::optional<ViewObstacle> no_lens(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (says_tokens(*trace)) return std::nullopt;
  return ViewObstacle{"There is no model that says tokens.",
                      "The lens needs a checkpoint with its output head: Model, weights, or File, Open folder."};
}

std::optional<ViewObstacle> no_sweep(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (says_tokens(*trace)) return std::nullopt;
  return ViewObstacle{"There is no model to patch.",
                      "A sweep needs a checkpoint with its output head: Model, weights, or File, Open folder."};
}

std::optional<ViewObstacle> no_gradients(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (is_one_stack(*trace)) return std::nullopt;
  return ViewObstacle{"There is no model to go back through.",
                      "Gradients need a checkpoint with its output head: Model, weights, or File, Open folder."};
}

std::optional<ViewObstacle> no_score(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (trace->model != nullptr && trace->model->checkpoint != nullptr && trace->find(StageId::scores) != nullptr) {
    return std::nullopt;
  }
  return ViewObstacle{"There is no model whose parts wrote a score.",
                      "Why a head looks there needs a checkpoint: Model, weights, or File, Open folder."};
}

std::optional<ViewObstacle> no_circuits(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (trace->model != nullptr && trace->model->checkpoint != nullptr) return std::nullopt;
  return ViewObstacle{"There are no weights of a whole model.",
                      "Circuits need a checkpoint: Model, weights, or File, Open folder."};
}

std::optional<ViewObstacle> no_scatter(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (has_query_key_scatter(*trace) && trace->query_len() > 0) return std::nullopt;
  return ViewObstacle{"There are no queries and keys.",
                      "A capture of weights alone has none; they appear when the phrase has a word."};
}

std::optional<ViewObstacle> no_generation(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (is_one_stack(*trace)) return std::nullopt;
  return ViewObstacle{"There is no model that goes on with a text.",
                      "Open a decoder such as demo:induction, GPT-2 or Llama: Model, weights, or File, Open folder."};
}

std::optional<ViewObstacle> no_token_to_follow(const Ui& ui) {
  return can_follow(ui) ? std::optional<ViewObstacle>() : kNothingComputed;
}

}  // namespace headscope::ui
