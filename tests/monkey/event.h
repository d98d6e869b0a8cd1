// One thing that the random user does, as plain values: it can be written as a line and done again.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace headscope::ui {

struct Event {
  std::string kind;        // a row of event_kinds()
  std::array<int, 4> n{};  // what the row says: pixels, thousandths of a control, a key
  std::string text = {};   // the name of a control, words, a path
  friend bool operator==(const Event&, const Event&) = default;
};

// "click 500 500 1 0 request/num_heads/+": bytes of the text beyond visible ASCII, and %, stand as %XX.
std::string line_of(const Event& event);
// Throws Error when the line is none of line_of().
Event event_of(const std::string& line);

// A list of events, a line each. Blank lines and lines that begin with # are left out. Reading throws Error when there
// is no such file.
void write_events(const std::string& path, const std::vector<Event>& events);
std::vector<Event> read_events(const std::string& path);

}  // namespace headscope::ui
