// What was asked for differently, where the numbers start to differ, every stage, every head.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/ui/compare/compare_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/base/grouped_digits.h"
#include "core/request/intervention_kinds.h"
#include "core/request/stage_info.h"
#include "core/text/text_difference.h"

namespace headscope::ui {
namespace {

constexpr float kRow = 24, kTitle = 30;

std::string or_default(const std::string& value) {
  return value.empty() ? "default" : value;
}
std::string or_nothing(const std::string& token) {
  return token.empty() ? "(none)" : visible_piece(token);
}

void draw_title(Ui& ui, const Rect& area, float& y, const std::string& title, const std::string& right) {
  const Rect line{{area.min.x, y}, {area.max.x, y + ui.px(kTitle)}};
  text_in(ui, line, Type::title12, ui.colors.text, title);
  text_in(ui, line, Type::words12, ui.colors.text2, right, 1);
  y += ui.px(kTitle);
}

// name, "from → to": what is too long is cut.
void draw_change(Ui& ui, const Rect& area, float& y, const std::string& name, const std::string& from,
                 const std::string& to) {
  Rect line{{area.min.x, y}, {area.max.x, y + ui.px(kRow)}};
  y += ui.px(kRow);
  if (!name.empty()) text_in(ui, take_left(line, ui.px(110), ui.px(8)), Type::mono12, ui.colors.text2, name);
  const float half = std::floor((line.width() - ui.px(30)) / 2);
  const auto fitting = static_cast<std::size_t>(half / text_width(ui, Type::mono12, "0"));
  const auto [before, after] = from_where_they_part(from, to, fitting);
  const std::string left = shortened_to(ui, Type::mono12, before, half);
  text_in(ui, take_left(line, std::ceil(text_width(ui, Type::mono12, left)) + 1, ui.px(8)), Type::mono12,
          ui.colors.text2, left);
  text_in(ui, take_left(line, ui.px(14), ui.px(8)), Type::mono12, ui.colors.text3, "→");
  text_in(ui, line, Type::mono12, ui.colors.text, shortened_to(ui, Type::mono12, after, line.width()));
}

std::string where_words(const Comparison& comparison) {
  if (comparison.equal()) return "nowhere: all that was compared is equal, to the last bit";
  if (!comparison.first) return "not in the attention of the shown layer: it is equal, to the last bit";
  const std::string stage(stage_name(*comparison.first));
  if (comparison.unread) return fmt::format("nowhere in what was compared: {} is too large", stage);
  return comparison.layer ? fmt::format("at {} of layer {}", stage, *comparison.layer) : "at " + stage;
}

std::string finding_of(const Comparison& comparison, const CompareShown& shown) {
  if (comparison.equal()) return "A and B are equal in all that was compared, to the last bit.";
  if (!comparison.first) return "The attention of the shown layer is equal in A and B, to the last bit.";
  if (comparison.unread) return "Nothing that was compared of A and B differs, and not all could be compared.";
  if (!shown.without) return fmt::format("A and B part {}.", where_words(comparison));
  std::string words = without_words(shown.b.trace(), *shown.without);
  words.front() = 'W';
  return fmt::format("{} numbers change first {}.", words, where_words(comparison));
}

void draw_changes(Ui& ui, const Comparison& comparison, const CompareShown& shown, const Rect& area) {
  say_finding(ui, MainView::compare, finding_of(comparison, shown));
  constexpr std::size_t kMostTokens = 40;
  const std::size_t tokens = std::min(comparison.queries.changed.size(), kMostTokens);
  const bool own_keys = comparison.keys.changed != comparison.queries.changed;
  const std::size_t keys = own_keys ? std::min(comparison.keys.changed.size(), kMostTokens) : 0;
  const float width = area.width() - ui.px(28);
  const std::string why = as_sentence(!comparison.layers.empty()    ? comparison.layers
                                      : !comparison.rows.empty()    ? comparison.rows
                                      : !comparison.besides.empty() ? comparison.besides
                                      : comparison.compared.empty() ? ""
                                                                    : "Compared: " + comparison.compared);
  const float explained = why.empty() ? 0 : paragraph_height(ui, Type::words12, why, width) + ui.px(6);
  const float content =
      ui.px(2 * kTitle + 22) + explained + (tokens > 0 ? ui.px(kTitle) : 0) + (keys > 0 ? ui.px(kTitle) : 0) +
      ui.px(kRow) * static_cast<float>(std::max<std::size_t>(1, comparison.options.size()) + tokens + keys);
  const ScrollArea scroll = begin_scroll(ui, "compare/changes", area, content > area.height() ? content : 0);
  const Rect inner{{area.min.x + ui.px(14), 0}, {area.max.x - ui.px(14), 0}};
  float y = area.min.y - scroll.offset;
  draw_title(ui, inner, y, "Where it starts to differ", "");
  const std::string where = where_words(comparison);
  text_in(ui, {{inner.min.x, y - ui.px(4)}, {inner.max.x, y + ui.px(18)}}, Type::words13, ui.colors.text, where);
  ui.mark("compare/first/" + (comparison.first ? std::string(stage_name(*comparison.first)) : "nowhere"),
          {{inner.min.x, y}, {inner.max.x, y + ui.px(18)}});
  y += ui.px(22);
  if (!why.empty()) {
    paragraph(ui, {{inner.min.x, y}, {inner.max.x, y + explained}}, Type::words12, ui.colors.text2, why);
    ui.mark(comparison.equal() ? "compare/compared" : "compare/rows", {{inner.min.x, y}, {inner.max.x, y + explained}});
    y += explained;
  }
  draw_title(ui, inner, y, "Changed options", comparison.options.empty() ? "none" : "A → B");
  for (const OptionDifference& option : comparison.options) {
    ui.mark("compare/option/" + option.option, {{inner.min.x, y}, {inner.max.x, y + ui.px(kRow)}});
    draw_change(ui, inner, y, option.option, or_default(option.a), or_default(option.b));
  }
  const auto list = [&](const std::string& title, const TokenAlignment& along, std::size_t count) {
    if (count == 0) return;
    draw_title(ui, inner, y, title,
               along.same_lengths()
                   ? fmt::format("{}", along.changed.size())
                   : fmt::format("{} tokens, then {}", grouped_digits(along.a_len), grouped_digits(along.b_len)));
    for (std::size_t k = 0; k < count; ++k) {
      draw_change(ui, inner, y, "", or_nothing(along.changed[k].first), or_nothing(along.changed[k].second));
    }
  };
  list("Changed tokens", comparison.queries, tokens);
  list("Changed keys", comparison.keys, keys);
  end_scroll(ui);
}

void draw_bar(Ui& ui, const Rect& area, double share, Rgba color) {
  const float middle = std::round(area.center().y);
  const Rect axis{{area.min.x, middle - ui.px(4)}, {area.max.x, middle + ui.px(4)}};
  fill(axis, ui.colors.well);
  const float width = std::round(axis.width() * static_cast<float>(std::clamp(share, 0.0, 1.0)));
  if (share > 0) fill({axis.min, {axis.min.x + std::max(ui.px(1), width), axis.max.y}}, color);
}

// How many stages stand above the first one that differs or cannot be compared; 0 where none does.
std::size_t equal_stages_above(const Comparison& comparison) {
  const auto first = std::find_if(comparison.stages.begin(), comparison.stages.end(), [](const ComparedStage& stage) {
    return stage.differs() || !stage.incomparable.empty();
  });
  return first == comparison.stages.end() ? 0 : static_cast<std::size_t>(first - comparison.stages.begin());
}

struct StagesScrolled {
  // How many equal stages stood above when the list was scrolled to the first one that differs; nothing: it never was.
  std::optional<std::size_t> equal_above = {};
};

// The list begins where the numbers part, with an equal stage above it that tells there are more; then it is the
// user's.
void scroll_to_first_difference(Ui& ui, std::size_t equal_above) {
  std::optional<std::size_t>& scrolled = ui.state.panels.get<StagesScrolled>().equal_above;
  if (scrolled == equal_above) return;
  scrolled = equal_above;
  const std::size_t hidden = equal_above > 0 ? equal_above - 1 : 0;
  ui.state.panels.get<ScrollOffsets>().down["compare/stages"] =
      static_cast<double>(ui.px(kRow)) * static_cast<double>(hidden);
}

// Draws the title, which stays above the list: how many of its first stages are equal, and the names of its columns.
void draw_stages_title(Ui& ui, const Rect& area, float& y, std::size_t equal_above) {
  Rect line{{area.min.x, y}, {area.max.x, y + ui.px(kTitle)}};
  draw_title(ui, area, y, "Stages", "|A − B|      of |A|");
  if (equal_above == 0) return;
  take_left(line, std::ceil(text_width(ui, Type::title12, "Stages")), ui.px(12));
  take_right(line, std::ceil(text_width(ui, Type::words12, "|A − B|      of |A|")), ui.px(12));
  text_in(ui, line, Type::words12, ui.colors.text3,
          equal_above == 1 ? "the first is equal" : fmt::format("the first {} are equal", equal_above));
}

void draw_stages(Ui& ui, const CompareShown& shown, const Comparison& comparison, const Rect& whole) {
  const std::size_t equal_above = equal_stages_above(comparison);
  scroll_to_first_difference(ui, equal_above);
  const Rect inner{{whole.min.x + ui.px(14), 0}, {whole.max.x - ui.px(14), 0}};
  Rect area = whole;
  draw_stages_title(ui, inner, area.min.y, equal_above);
  const float content = ui.px(kRow) * static_cast<float>(comparison.stages.size()) + ui.px(26);
  const ScrollArea scroll = begin_scroll(ui, "compare/stages", area, content > area.height() ? content : 0);
  float y = area.min.y - scroll.offset;
  for (const ComparedStage& stage : comparison.stages) {
    const std::string name(stage_name(stage.stage));
    const Rect line{{area.min.x, y}, {area.max.x, y + ui.px(kRow)}};
    y += ui.px(kRow);
    const ControlState state{true, false, "Shows this stage above."};
    const Interaction it = interact(ui, "compare/stages/" + name, line, state, false);
    if (it.clicked && shown_by_heads(stage.stage) == stage.stage) select_stage(ui.session.view, stage.stage);
    if (stage.stage == shown.selection.stage) {
      fill(line, ui.colors.tint);
    } else if (it.hovered) {
      fill(line, ui.colors.hover);
    }
    Rect rest{{inner.min.x, line.min.y}, {inner.max.x, line.max.y}};
    const bool starts = !comparison.layer && comparison.first == stage.stage;
    text_in(ui, take_left(rest, ui.px(122), ui.px(8)), Type::mono12, starts ? ui.colors.accent : ui.colors.text, name);
    if (!stage.incomparable.empty()) {
      text_in(ui, rest, Type::words12, ui.colors.text3, stage.incomparable);
      continue;
    }
    const double relative = stage.relative();
    const std::string share = !stage.differs()           ? "equal"
                              : !std::isfinite(relative) ? "from 0"
                              : relative >= 0.001        ? fmt::format("{:.1f} %", relative * 100)
                                                         : number_label(relative, 1, true);
    text_in(ui, take_right(rest, ui.px(64), ui.px(8)), Type::mono12, stage.differs() ? ui.colors.text : ui.colors.text3,
            ours(share), 1);
    const std::string norm =
        stage.unlike > 0 ? fmt::format("{} not finite", stage.unlike) : number_label(stage.norm, 4, true);
    text_in(ui, take_right(rest, ui.px(110), ui.px(10)), Type::mono12,
            stage.differs() ? ui.colors.text : ui.colors.text3, stage.differs() ? norm : "0", 1);
    const double bar = stage.unlike > 0 && stage.norm == 0 ? 1 : std::isfinite(relative) ? relative : 1;
    draw_bar(ui, rest, stage.differs() ? bar : 0, ui.colors.accent);
  }
  text_in(ui, {{inner.min.x, y}, {inner.max.x, y + ui.px(24)}}, Type::words11, ui.colors.text3,
          fitting_words(ui, Type::words11, inner.width(),
                        {"Norms over the tokens that stand in both; click a stage to see it.", "Click a stage."}));
  end_scroll(ui);
}

// Returns the words in place of a head's bar, which would be empty because its weights are the same in A and B.
std::string without_bar(Ui& ui, float width, const CompareShown& shown, std::int64_t head) {
  const auto is_off = [head](const PanelData& data) {
    const Trace& trace = data.trace();
    return is_ablated(trace.request, {trace.model != nullptr ? trace.model->layer : 0, head});
  };
  const std::string off = is_off(shown.a) ? "off in A" : is_off(shown.b) ? "off in B" : "";
  if (off.empty()) return fitting_words(ui, Type::words12, width, {"weights are equal", "equal"});
  return fitting_words(ui, Type::words12, width, {"head is " + off, off, "off"});
}

void draw_heads(Ui& ui, const CompareShown& shown, const Comparison& comparison, const Rect& area) {
  const std::size_t count = comparison.heads.size();
  const float content = ui.px(kTitle + 26) + ui.px(kRow) * static_cast<float>(std::max<std::size_t>(1, count));
  const ScrollArea scroll = begin_scroll(ui, "compare/heads", area, content > area.height() ? content : 0);
  const Rect inner{{area.min.x + ui.px(14), 0}, {area.max.x - ui.px(14), 0}};
  float y = area.min.y - scroll.offset;
  draw_title(ui, inner, y, "Heads", count == 0 ? "" : "|A − B| of weights");
  if (count == 0) {
    paragraph(ui, {{inner.min.x, y}, {inner.max.x, y}}, Type::words12, ui.colors.text3,
              comparison.no_heads.empty() ? "No head's weights or context differ." : as_sentence(comparison.no_heads));
    ui.mark("compare/no-heads", {{inner.min.x, y}, {inner.max.x, y + ui.px(kRow)}});
  }
  double largest = 0;
  for (const HeadDifference& head : comparison.heads) {
    if (std::isfinite(head.weights)) largest = std::max(largest, head.weights);
  }
  for (const HeadDifference& head : comparison.heads) {
    const Rect line{{area.min.x, y}, {area.max.x, y + ui.px(kRow)}};
    y += ui.px(kRow);
    const Interaction it =
        interact(ui, fmt::format("compare/heads/{}", head.head), line, {true, false, "Shows this head above."}, false);
    if (it.clicked) ui.session.view.head = head.head;
    if (head.head == shown.selection.head) {
      fill(line, ui.colors.tint);
    } else if (it.hovered) {
      fill(line, ui.colors.hover);
    }
    Rect rest{{inner.min.x, line.min.y}, {inner.max.x, line.max.y}};
    const Rect square = take_left(rest, ui.px(10), ui.px(8));
    const float middle = std::round(square.center().y);
    fill({{square.min.x, middle - ui.px(5)}, {square.max.x, middle + ui.px(5)}}, head_color(head.head));
    text_in(ui, take_left(rest, ui.px(26), ui.px(8)), Type::mono12, ui.colors.text, std::to_string(head.head));
    const bool equal = head.weights == 0;
    text_in(ui, take_right(rest, ui.px(64), ui.px(8)), Type::mono12, ui.colors.text,
            equal ? "context" : number_label(head.weights, 4, true), 1);
    if (equal) {
      text_in(ui, rest, Type::words12, ui.colors.text2, without_bar(ui, rest.width(), shown, head.head));
    } else {
      draw_bar(ui, rest, largest > 0 ? head.weights / largest : 0, head_color(head.head));
    }
  }
  if (count > 1) {
    text_in(ui, {{inner.min.x, y}, {inner.max.x, y + ui.px(24)}}, Type::words11, ui.colors.text3,
            "The largest change first.");
  }
  end_scroll(ui);
}

}  // namespace

void draw_compare_lists(Ui& ui, const CompareShown& shown, const Rect& area) {
  if (shown.comparison == nullptr || !shown.comparison->answer) {
    const bool failed = shown.comparison != nullptr && !shown.comparison->failure.empty();
    paragraph(ui, inset(area, ui.px(12)), Type::words12, ui.colors.text3,
              failed ? shown.comparison->failure : "Computing …");
    return;
  }
  const Comparison& comparison = *shown.comparison->answer;
  Rect rest = area;
  const Rect changes = take_left(rest, std::round(area.width() * 0.34f), 0);
  const Rect heads = take_right(rest, std::round(area.width() * 0.24f), 0);
  draw_changes(ui, comparison, shown, changes);
  vertical_line(ui, rest.min.x, area.min.y, area.max.y, ui.colors.line);
  draw_stages(ui, shown, comparison, rest);
  vertical_line(ui, heads.min.x, area.min.y, area.max.y, ui.colors.line);
  draw_heads(ui, shown, comparison, heads);
  if (shown.current) ui.mark("compare/current", area);
}

}  // namespace headscope::ui
