// Whatever parse_session accepts is written and read back as the same request and view.
#include "core/base/error.h"
#include "core/export/session_file.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  SessionFile session;
  try {
    session = parse_session(std::string(fuzz::as_text(data, size)), "fuzz.json");
  } catch (const Error&) {
    return 0;
  }
  const SessionFile back = parse_session(session_json(session.request, session.view, session.window), "back.json");
  fuzz::require(back.request == session.request, "a round trip keeps the request");
  fuzz::require(back.view == session.view, "a round trip keeps the view");
  return 0;
}
