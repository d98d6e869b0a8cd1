#include "app/ui/pipeline_cards.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/request/stage_info.h"

namespace headscope::ui {
namespace {

bool share_a_card(StageId a, StageId b) {
  const StageCard card = stage_info(a).card;
  return card != StageCard::own && card == stage_info(b).card;
}

}  // namespace

bool PipelineCard::has(StageId stage) const {
  return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

std::vector<PipelineCard> pipeline_cards(const Trace& trace) {
  std::vector<PipelineCard> cards;
  for (const Stage& stage : trace.stages) {
    if (!cards.empty() && share_a_card(cards.back().stages.front(), stage.id)) {
      cards.back().stages.push_back(stage.id);
    } else {
      cards.push_back({{stage.id}});
    }
  }
  return cards;
}

StageId neighbour_stage(const Trace& trace, StageId stage, int step) {
  if (trace.stages.empty()) return stage;
  std::ptrdiff_t at = 0;
  for (std::size_t i = 0; i < trace.stages.size(); ++i) {
    if (trace.stages[i].id == stage) at = static_cast<std::ptrdiff_t>(i);
  }
  at = std::clamp<std::ptrdiff_t>(at + step, 0, static_cast<std::ptrdiff_t>(trace.stages.size()) - 1);
  return trace.stages[static_cast<std::size_t>(at)].id;
}

std::string shape_or_equal(const Trace& trace, const Stage& stage) {
  if (stage.equals_previous) {
    // The stage before it in the trace's order: "nothing was done" is only said of a chain of score-like stages.
    const Stage* previous = nullptr;
    for (const Stage& other : trace.stages) {
      if (other.id == stage.id) break;
      previous = &other;
    }
    if (previous != nullptr) return "= " + std::string(stage_name(previous->id));
  }
  return to_string(stage.tensor.shape());
}

std::string without_blanks(const std::string& shape) {
  std::string compact = shape;
  if (compact.starts_with('[')) std::erase(compact, ' ');
  return compact;
}

CardLayout card_layout(const std::vector<float>& wanted, const std::vector<float>& least, float gap, float least_gap,
                       float available, float most_more) {
  CardLayout layout;
  if (wanted.empty()) return layout;
  const auto gaps = static_cast<float>(wanted.size() - 1);
  const float sum = std::accumulate(wanted.begin(), wanted.end(), 0.0f);
  layout.width = wanted;
  layout.gap = gap;
  if (sum + gaps * gap > available && gaps > 0) {
    layout.gap = std::clamp(std::floor((available - sum) / gaps), least_gap, gap);
  }
  const float over = sum + gaps * layout.gap - available;
  if (over > 0) {
    float slack = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) slack += wanted[i] - least[i];
    const float share = slack > 0 ? std::min(1.0f, over / slack) : 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      layout.width[i] = std::floor(wanted[i] - share * (wanted[i] - least[i]));
    }
  } else {
    const float more = std::min(std::floor(-over / static_cast<float>(wanted.size())), most_more);
    for (float& width : layout.width) width += std::floor(more);
  }
  float x = 0;
  for (const float width : layout.width) {
    layout.x.push_back(x);
    x += width + layout.gap;
  }
  layout.content = x - layout.gap;
  return layout;
}

}  // namespace headscope::ui
