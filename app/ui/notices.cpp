// Bars below the pipeline: the last good result, failures, rows that are hidden completely, ended exports.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "app/session/session.h"
#include "app/ui/explain/nonfinite_notice.h"
#include "app/ui/export_actions.h"
#include "app/ui/guide/tour.h"
#include "app/ui/main_view.h"
#include "app/ui/panels.h"
#include "app/ui/widgets/text_line.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/attention/patches.h"
#include "core/attention/trace_notices.h"
#include "core/base/grouped_digits.h"
#include "core/base/utf8.h"
#include "core/model/checkpoint.h"
#include "core/request/request_text.h"

namespace headscope::ui {

namespace {

constexpr std::size_t kMostBars = 3;

struct Bar {
  Notice notice;
  std::string button;
  bool leaves_on_escape = true;
  void (*press)(Ui&) = nullptr;
};

// How a value of an option is named in a sentence; "{}" stands for the value.
struct NamedValue {
  std::string_view option;
  const char* words;
};
constexpr NamedValue kNamedValues[] = {
    {"heads", "{} heads"},         {"kv-heads", "{} key heads"}, {"d-model", "d_model {}"},
    {"input-dim", "input_dim {}"}, {"phrase", "the phrase {}"},  {"edit", "the edit {}"},
};

std::string cut(const std::string& value) {
  constexpr std::size_t most = 24;
  if (value.size() <= most) return value;
  std::size_t end = 0;
  for (std::size_t next = next_grapheme(value, 0); next <= most; next = next_grapheme(value, next)) end = next;
  return value.substr(0, end) + "…";
}

// What the last good result has for the option at fault: "8 heads", "mask causal", "no variant".
std::string good_words(const Trace& trace, const std::string& option) {
  std::string name = option;
  std::replace(name.begin(), name.end(), '-', ' ');
  const RequestOption* known = find_request_option(option);
  std::string value = known == nullptr ? "" : known->get(trace.request);
  if (option == "heads") value = std::to_string(trace.num_heads());
  if (option == "d-model") value = std::to_string(trace.inputs->d_model);
  if (option == "kv-heads") value = std::to_string(trace.inputs->num_kv_heads);
  if (option == "input-dim") value = std::to_string(trace.inputs->input_dim);
  if (known == nullptr) return "the last good result";
  if (value.empty() || value == "none") return "no " + name;
  for (const NamedValue& each : kNamedValues) {
    if (each.option == option) return fmt::format(fmt::runtime(each.words), cut(value));
  }
  return name + " " + cut(value);
}

// The draft becomes the request that is shown; what was typed since stays, unless it is at fault itself.
void back_to_good(Ui& ui) {
  const auto trace = ui.session.trace();
  const auto& problem = ui.session.problem();
  if (trace == nullptr || !problem) return;
  Request& draft = ui.session.draft;
  Request good = trace->request;
  if (problem->option != "phrase") good.phrase = draft.phrase;
  if (problem->option != "second-phrase" && good.second_phrase && draft.second_phrase) {
    good.second_phrase = draft.second_phrase;
  }
  if (problem->option != "key-phrase" && good.key_phrase && draft.key_phrase) good.key_phrase = draft.key_phrase;
  if (problem->option != "decoder-phrase" && good.decoder_phrase && draft.decoder_phrase) {
    good.decoder_phrase = draft.decoder_phrase;
  }
  ui.session.end_undo_step();
  draft = good;
  ui.state.editing.clear();
}

Bar problem_bar(const Trace& trace, const Problem& problem) {
  Bar bar;
  bar.leaves_on_escape = false;
  bar.notice.kind = Notice::Kind::warn;
  bar.notice.key = "problem";
  const std::string good = good_words(trace, problem.option);
  bar.notice.fact = fmt::format("Last good result: {}.", good);
  bar.notice.advice = problem.title + "; the picture follows again as soon as it can.";
  bar.button = "Back to " + good;
  bar.press = back_to_good;
  return bar;
}

std::string rows_sentence(const std::vector<std::int64_t>& rows) {
  if (rows.size() == 1) return fmt::format("Row {} is hidden completely.", rows[0]);
  if (rows.size() > 4)
    return fmt::format("{} rows are hidden completely, the first is row {}.", grouped_digits(std::ssize(rows)),
                       grouped_digits(rows[0]));
  std::string list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    list += i == 0 ? "" : i + 1 == rows.size() ? " and " : ", ";
    list += std::to_string(rows[i]);
  }
  return fmt::format("Rows {} are hidden completely.", list);
}

std::string rows_advice(const Request& request, bool one) {
  const std::string whose = one ? "its" : "their";
  switch (request.fully_masked) {
    case FullyMasked::zero:
      return "hidden rows = zero: " + whose + " weights are all 0.";
    case FullyMasked::uniform:
      return "hidden rows = uniform: " + whose + " weights are all 1 / key_len.";
    case FullyMasked::as_computed:
      break;
  }
  if (std::isinf(request.mask_fill) && request.mask_fill < 0) {
    return "With \xE2\x88\x92inf " + whose + " weights are 0 / 0, drawn as NaN.";
  }
  return fmt::format("With fill {} every key has the same score, so that {} weights are uniform.",
                     plain_number(request.mask_fill), whose);
}

// A notice that left stays away while it would say the same; `gone` forgets those whose cause is gone.
void leave_out(std::vector<Bar>& bars, std::vector<std::string>& gone) {
  const auto words = [](const Bar& bar) { return bar.notice.key + bar.notice.fact + bar.notice.advice; };
  std::erase_if(gone, [&](const std::string& old) {
    return std::none_of(bars.begin(), bars.end(), [&](const Bar& bar) { return words(bar) == old; });
  });
  std::erase_if(bars, [&](const Bar& bar) { return std::find(gone.begin(), gone.end(), words(bar)) != gone.end(); });
}

// What did not come out as asked before anything was computed.
void add_input_bars(const Inputs& inputs, std::vector<Bar>& bars) {
  const std::string alone = inputs.patches == nullptr ? "" : inputs.patches->notice;
  if (!alone.empty()) bars.push_back({{Notice::Kind::warn, "Patched.", alone, "patch"}, "", true, nullptr});
  const std::string why = inputs.checkpoint == nullptr ? "" : inputs.checkpoint->unknown_tokenizer();
  if (!why.empty()) bars.push_back({{Notice::Kind::warn, "No tokenizer.", why, "tokenizer"}, "", true, nullptr});
}

// What the result says of its inputs and of its mask, one bar of each kind.
void add_trace_bars(const Trace& trace, std::vector<Bar>& bars) {
  add_input_bars(*trace.inputs, bars);
  constexpr std::pair<std::string_view, const char*> kFacts[] = {{"reading", "How it was read."},
                                                                 {"left_out", "Not all of the files is used."},
                                                                 {"hidden_weight", "Hidden cells weigh."}};
  const std::vector<TraceNotice> notices = trace_notices(trace);
  for (const auto& [key, fact] : kFacts) {
    std::string advice;
    for (const TraceNotice& notice : notices) {
      if (notice.key != key) continue;
      advice += (advice.empty() ? "" : " ") + notice.sentence + ".";
    }
    if (advice.empty()) continue;
    if (key == "hidden_weight") advice.front() = 'H';  // a reading begins with the name of its file
    bars.push_back({{Notice::Kind::warn, fact, advice, std::string(key)}, "", true, nullptr});
  }
}

std::vector<Bar> bars_of(Ui& ui) {
  std::vector<Bar> bars;
  const Session& session = ui.session;
  const auto trace = session.trace();
  if (const auto& problem = session.problem()) {
    if (trace != nullptr) {
      bars.push_back(problem_bar(*trace, *problem));
    } else {
      bars.push_back({{Notice::Kind::bad, problem->title + ".", problem->detail, "problem"}, "", false, nullptr});
    }
  }
  if (!session.failure().empty()) {
    bars.push_back(
        {{Notice::Kind::bad, "Not computed.", session.failure(), "failure"}, "Compute again", false, [](Ui& u) {
           u.push(CommandId::recompute);
         }});
  }
  for (const Notice& notice : ui.state.notices) bars.push_back({notice, notice.button, true, nullptr});
  const Job job = session.jobs.current();
  if (!job.running && !job.result.empty() && ui.state.dialog == DialogKind::none) {
    const Notice::Kind kind = job.failed ? Notice::Kind::bad : Notice::Kind::info;
    bars.push_back({{kind, job.failed ? job.title + " failed." : job.title + " done.", job.result, "job"},
                    "Close",
                    true,
                    [](Ui& u) { u.session.jobs.dismiss(); }});
  }
  if (const auto broken = nonfinite_notice(ui)) bars.push_back({*broken, "Show it", true, show_nonfinite});
  if (trace != nullptr) add_trace_bars(*trace, bars);
  if (trace != nullptr && !trace->notice.empty()) {
    bars.push_back({{Notice::Kind::warn, "Another backend.", trace->notice, "backend"}, "", true, nullptr});
  } else if (const std::string why = ui.session.background.maps.counts().device_failure;
             trace != nullptr && trace->backend == "gpu" && !why.empty()) {
    bars.push_back({{Notice::Kind::warn, "Another backend.",
                     "The CPU makes the pictures of large maps, since the GPU cannot: " + why, "backend"},
                    "",
                    true,
                    nullptr});
  }
  if (trace != nullptr && trace->model != nullptr && trace->model->capture != nullptr) {
    const std::string warning = capture_warning(*trace->model->capture);
    if (!warning.empty()) {
      bars.push_back({{Notice::Kind::warn, "Look twice.", warning, "capture"}, "", true, nullptr});
    }
  }
  // The mask editor says it beside each row, and a bar that came would move the cells under the mouse.
  const bool said_there = shown_main_view(ui) == MainView::mask;
  if (trace != nullptr && !trace->fully_masked_queries.empty() && !said_there) {
    const auto& rows = trace->fully_masked_queries;
    bars.push_back({{Notice::Kind::info, rows_sentence(rows), rows_advice(trace->request, rows.size() == 1), "rows"},
                    "",
                    true,
                    nullptr});
  }
  if (const std::optional<Notice> offer = tour_offer(ui))
    bars.push_back({*offer, tour_offer_button(ui), true, [](Ui& u) { u.push(CommandId::tour); }});
  leave_out(bars, ui.state.dismissed);
  if (bars.size() > kMostBars) bars.resize(kMostBars);
  return bars;
}

// Takes the notice away; one whose cause still exists stays away until it would say something else.
void put_away(Ui& ui, const Notice& notice) {
  const auto is_it = [&](const Notice& old) { return old.fact == notice.fact && old.key == notice.key; };
  if (notice.key == "job") {
    ui.session.jobs.dismiss();
  } else if (std::erase_if(ui.state.notices, is_it) == 0) {
    ui.state.dismissed.push_back(notice.key + notice.fact + notice.advice);
  }
  ui.state.wants_frame = true;
}

void press(Ui& ui, const Bar& bar) {
  if (bar.press != nullptr) return bar.press(ui);
  ui.commands.push_back(bar.notice.command);
  std::erase_if(ui.state.notices, [&](const Notice& notice) { return notice.key == bar.notice.key; });
}

}  // namespace

void put_notice(UiState& state, Notice notice) {
  std::erase_if(state.notices, [&](const Notice& old) { return !notice.key.empty() && old.key == notice.key; });
  state.notices.push_back(std::move(notice));
}

float notices_height(Ui& ui) {
  return ui.px(36) * static_cast<float>(bars_of(ui).size());
}

void draw_notices(Ui& ui, const Rect& area) {
  float y = area.min.y;
  for (const Bar& bar : bars_of(ui)) {
    Rect place = row(area, y, ui.px(36));
    const Rect whole_row = place;
    if (bar.notice.key == "job") {
      // The actions lie on the bar, not beside it.
      fill(whole_row, bar.notice.kind == Notice::Kind::info ? ui.colors.raised : ui.colors.bad_ground);
      place.max.x -= ui.px(size::panel_padding);
      draw_export_actions(ui, ui.session.jobs.current(), place);
    }
    // What the line cannot hold (a list of missing tensors) is there whole while the mouse rests on it. It takes no
    // click: the buttons lie on it.
    const bool cut = text_width(ui, Type::words13, bar.notice.fact + bar.notice.advice) > place.width() - ui.px(80);
    if (cut) {
      const ControlState whole{false, false, bar.notice.advice.c_str()};
      interact_mouse(ui, "notice/" + bar.notice.key + "/words", place, whole, false);
    }
    const bool closes = bar.leaves_on_escape && bar.notice.key != "job";
    const NoticePress pressed = notice_bar(ui, "notice/" + bar.notice.key, place, bar.notice, {bar.button, closes});
    if (pressed == NoticePress::button) press(ui, bar);
    if (pressed == NoticePress::close) put_away(ui, bar.notice);
    horizontal_line(ui, whole_row.min.x, whole_row.max.x, whole_row.max.y - std::max(1.0f, ui.px(1)), ui.colors.line);
  }
}

bool dismiss_notice(Ui& ui) {
  const std::vector<Bar> bars = bars_of(ui);
  for (auto bar = bars.rbegin(); bar != bars.rend(); ++bar) {
    if (!bar->leaves_on_escape) continue;
    put_away(ui, bar->notice);
    return true;
  }
  return false;
}

}  // namespace headscope::ui
