#include "app/session/timeline_file.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/session/json_reader.h"
#include "app/session/session_paths.h"
#include "app/session/state_json.h"
#include "core/export/session_file.h"

namespace headscope {

namespace {

const std::vector<std::string> kPlaces = {"now", "before", "after"};
enum Place { now_line, before_line, after_line };

std::string line_of(Place place, const Moment& moment, bool opened) {
  const nlohmann::json line = {{"place", kPlaces[place]},
                               {"opened", opened},
                               {"title", moment.document.title},
                               {"given_phrase", moment.document.given_phrase},
                               {"session", session_json(with_absolute_paths(moment.draft), std::nullopt)},
                               {"view", view_state_json(moment.view)}};
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void add_steps(std::string& text, Place place, const std::vector<UndoStep>& steps) {
  const std::size_t count = std::min(kMostKeptSteps, steps.size());
  for (auto step = steps.rbegin(); step != steps.rbegin() + static_cast<std::ptrdiff_t>(count); ++step) {
    const std::string line = line_of(place, *step->moment, step->opened);
    if (text.size() + line.size() > kMostTimelineBytes) return;
    text += line;
  }
}

void read_line(const std::string& text, KeptTimeline& kept) {
  const JsonReader line(text);
  const int place = line.read_choice("place", kPlaces, now_line);
  bool opened = false;
  std::string session, view;
  Moment moment;
  line.read("opened", opened);
  line.read("title", moment.document.title);
  line.read("given_phrase", moment.document.given_phrase);
  line.read("session", session);
  line.read("view", view);
  moment.draft = parse_session(session, "the timeline").request;
  moment.view = parse_view_state(view);
  if (place == now_line) {
    kept.now = std::move(moment);
    kept.has_now = true;
    return;
  }
  std::vector<UndoStep>& steps = place == before_line ? kept.timeline.before : kept.timeline.after;
  if (steps.size() < kMostKeptSteps) steps.push_back({std::make_shared<const Moment>(std::move(moment)), opened});
}

}  // namespace

std::string timeline_text(const Moment& now, const Timeline& timeline) {
  std::string text = line_of(now_line, now, false);
  if (text.size() > kMostTimelineBytes) return "";
  add_steps(text, before_line, timeline.before);
  add_steps(text, after_line, timeline.after);
  return text;
}

KeptTimeline read_timeline(const std::string& text) {
  KeptTimeline kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    try {
      read_line(text.substr(begin, end - begin), kept);
    } catch (const std::bad_alloc&) {
      throw;  // nothing is wrong with the line
    } catch (const std::exception&) {
      kept.damaged += 1;
    }
    begin = end + 1;
  }
  std::reverse(kept.timeline.before.begin(), kept.timeline.before.end());
  std::reverse(kept.timeline.after.begin(), kept.timeline.after.end());
  return kept;
}

}  // namespace headscope
