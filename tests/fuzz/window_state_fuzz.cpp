// What the window keeps between starts: settings, a view, steps of undo. Whatever of them is read is written so that it
// reads back as the same.
#include "app/session/state_json.h"
#include "app/session/timeline_file.h"
#include "core/base/error.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

template <typename Value>
void round_trip(const std::string& text, Value (*parse)(const std::string&), std::string (*json)(const Value&)) {
  Value value;
  try {
    value = parse(text);
  } catch (const Error&) {
    return;
  }
  fuzz::require(parse(json(value)) == value, "a round trip keeps the settings and the view");
}

void timeline_round_trip(const std::string& text) {
  const KeptTimeline kept = read_timeline(text);
  if (!kept.has_now) return;
  const std::string written = timeline_text(kept.now, kept.timeline);
  const KeptTimeline again = read_timeline(written);
  fuzz::require(again.damaged == 0 && again.has_now, "every line that was written is read");
  fuzz::require(timeline_text(again.now, again.timeline) == written, "a round trip keeps every step");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::as_text(data, size));
  round_trip<Settings>(text, parse_settings, settings_json);
  round_trip<ViewState>(text, parse_view_state, view_state_json);
  timeline_round_trip(text);
  return 0;
}
