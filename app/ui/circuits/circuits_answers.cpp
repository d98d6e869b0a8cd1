// What is asked of the background, and what of its answers is drawn: made once for each, never while drawing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "app/session/session.h"
#include "app/ui/circuits/circuits_panel.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/stage_facts.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/model/named_token.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostListed = 60;

// Score less that of random matrices, of readers from layer 1 on and writers from layer 0 on.
void set_cells(CompositionDrawn& drawn, const Composition& found) {
  const std::int64_t heads = found.heads, side = (found.layers - 1) * heads;
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, side, side);
  std::vector<float> values(static_cast<std::size_t>(side * side)), row(static_cast<std::size_t>(side));
  for (std::int64_t i = 0; i < side; ++i) {
    const std::int64_t visible = (i / heads + 1) * heads;
    std::uint8_t* const hidden = mask->hidden.mutable_row(0, 0, i);
    std::fill(hidden + visible, hidden + side, std::uint8_t{1});
    found.of(drawn.kind).read({{i + heads, i + heads + 1}, {0, side}}, row);
    for (std::int64_t j = 0; j < visible; ++j) {
      const double above = static_cast<double>(row[static_cast<std::size_t>(j)]) - found.random;
      values[static_cast<std::size_t>(i * side + j)] = static_cast<float>(above);
      if (std::isfinite(above)) drawn.largest = std::max(drawn.largest, std::fabs(above));
    }
  }
  mask->hidden.refresh_any();
  if (mask->hidden.any()) drawn.mask = std::move(mask);
  drawn.above = Tensor::of({side, side}, {Axis::query, Axis::key}, std::move(values));
}

const CompositionDrawn& drawn_composition(Ui& ui, const std::shared_ptr<const Compositions::Result>& of) {
  CompositionDrawn& drawn = ui.state.panels.get<CircuitsPanelState>().drawn;
  const CompositionKind kind = ui.session.view.circuits.reads;
  if (drawn.of == of && drawn.kind == kind) return drawn;
  const Composition& found = *of->answer;
  drawn = {};
  drawn.of = of;
  drawn.kind = kind;
  set_cells(drawn, found);
  const std::int64_t side = (found.layers - 1) * found.heads;
  for (std::int64_t k = 0; k < side; ++k) {
    drawn.readers.push_back(head_name({k / found.heads + 1, k % found.heads}));
    drawn.writers.push_back(head_name({k / found.heads, k % found.heads}));
  }
  drawn.strongest = strongest_pairs(found, kind, kMostListed);
  return drawn;
}

bool is_pair(const Composition& found, const std::optional<LayerHead>& reader, const std::optional<LayerHead>& writer) {
  if (!reader || !writer) return false;
  const auto inside = [&](const LayerHead& at) {
    return 0 <= at.layer && at.layer < found.layers && 0 <= at.head && at.head < found.heads;
  };
  return inside(*reader) && inside(*writer) && writer->layer < reader->layer;
}

std::vector<std::string> split_names(const std::string& text, bool several) {
  if (!several) return {text};
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    // Nothing behind the last comma: it is still being typed.
    if (end > begin) names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace

std::string head_name(const LayerHead& head) {
  return fmt::format("{}.{}", head.layer, head.head);
}

Cell CompositionShown::cell_of(const LayerHead& reads, const LayerHead& writes) const {
  return {(reads.layer - 1) * found.heads + reads.head, writes.layer * found.heads + writes.head};
}

double CompositionShown::score_at(const Cell& cell) const {
  return static_cast<double>(found.of(drawn.kind).at({cell.row + found.heads, cell.column}));
}

std::shared_ptr<const Compositions::Result> known_composition(Ui& ui, const Trace& trace) {
  const std::shared_ptr<const Checkpoint>& checkpoint = trace.model->checkpoint;
  auto result = ui.session.background.compositions.want({checkpoint, trace.model->backend});
  return result != nullptr && result->question.checkpoint == checkpoint ? result : nullptr;
}

CompositionShown composition_shown(Ui& ui, const Trace& trace, const std::shared_ptr<const Compositions::Result>& of) {
  CompositionShown shown{trace, *of->answer, drawn_composition(ui, of), {}, {}, 0};
  const CircuitsView& view = ui.session.view.circuits;
  if (is_pair(shown.found, view.reader, view.writer)) {
    shown.reader = *view.reader;
    shown.writer = *view.writer;
  } else {
    const ComposedPair& strongest = shown.drawn.strongest.front();
    shown.reader = {strongest.layer, strongest.head};
    shown.writer = {strongest.from_layer, strongest.from_head};
  }
  shown.score = shown.score_at(shown.cell_of(shown.reader, shown.writer));
  return shown;
}

void pick_pair(Ui& ui, const LayerHead& reader, const LayerHead& writer) {
  ui.session.view.circuits.reader = reader;
  ui.session.view.circuits.writer = writer;
  ui.state.wants_frame = true;
}

LayerHead head_of_tokens(Ui& ui, const Trace& trace) {
  const Architecture& architecture = trace.model->checkpoint->architecture();
  const CompositionDrawn& drawn = ui.state.panels.get<CircuitsPanelState>().drawn;
  LayerHead head{trace.inputs->layer, selection_of(ui.session.view, trace).head};
  if (const std::optional<LayerHead>& picked = ui.session.view.circuits.reader) {
    head = *picked;
  } else if (drawn.of != nullptr && drawn.of->question.checkpoint == trace.model->checkpoint) {
    head = {drawn.strongest.front().layer, drawn.strongest.front().head};
  }
  return {std::clamp<std::int64_t>(head.layer, 0, architecture.num_layers - 1),
          std::clamp<std::int64_t>(head.head, 0, architecture.num_heads - 1)};
}

const TypedTokens& typed_tokens(TypedTokens& typed, const Trace& trace, const std::string& text, bool several) {
  const std::shared_ptr<const Checkpoint>& checkpoint = trace.model->checkpoint;
  if (typed.of == checkpoint && typed.text == text) return typed;
  typed = {checkpoint, text, {}, {}, ""};
  try {
    for (const std::string& name : split_names(text, several)) {
      typed.ids.push_back(named_token(*checkpoint, several ? "tokens" : "token", name));
      typed.pieces.push_back(visible_piece(token_piece(*checkpoint, typed.ids.back())));
    }
    if (typed.ids.size() > kMostMapTokens) {
      throw UsageError("tokens", fmt::format("found {} of them", typed.ids.size()),
                       fmt::format("at most {}", kMostMapTokens));
    }
  } catch (const UsageError& error) {
    typed.ids.clear();
    typed.failure = error.mismatch();
  } catch (const std::exception& error) {
    typed.ids.clear();
    typed.failure = failure_words(error);
  }
  return typed;
}

}  // namespace headscope::ui
