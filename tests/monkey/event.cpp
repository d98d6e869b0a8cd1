#include "tests/monkey/event.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "core/base/error.h"

namespace headscope::ui {

namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && c != '%') {
      result += c;
    } else {
      result += fmt::format("%{:02X}", byte);
    }
  }
  return result;
}

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ec == std::errc()) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

std::string line_of(const Event& event) {
  std::string line = event.kind;
  for (const int number : event.n) line += fmt::format(" {}", number);
  if (!event.text.empty()) line += " " + escaped(event.text);
  return line;
}

Event event_of(const std::string& line) {
  std::istringstream words(line);
  Event event;
  std::string text;
  if (!(words >> event.kind)) throw Error("an event has no name: " + line);
  for (int& number : event.n) {
    if (!(words >> number)) throw Error("an event has four numbers: " + line);
  }
  if (words >> text) event.text = unescaped(text);
  return event;
}

void write_events(const std::string& path, const std::vector<Event>& events) {
  std::ofstream out(path, std::ios::binary);
  for (const Event& event : events) out << line_of(event) << '\n';
}

std::vector<Event> read_events(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path + ": there is no such list of events");
  std::vector<Event> events;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.front() != '#') events.push_back(event_of(line));
  }
  return events;
}

}  // namespace headscope::ui
