// "option newline value": a value that is accepted is printed in a form that makes the same request, of which is known
// whether it can run; a refused one leaves the request alone.
#include "core/request/problem.h"
#include "core/request/request_text.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  const std::size_t line = text.find('\n');
  if (line == text.npos) return 0;
  const RequestOption* option = find_request_option(text.substr(0, line));
  if (option == nullptr) {
    const auto& options = request_options();
    option = &options[line % options.size()];
  }
  const std::string value(text.substr(line + 1));
  fuzz::require(shell_quoted(value).size() >= value.size(), "quoting loses nothing");
  Request request;
  try {
    option->set(request, value);
  } catch (const UsageError&) {
    fuzz::require(request == Request{}, "a refused value changes nothing");
    return 0;
  }
  Request again;
  if (is_given(*option, request)) option->set(again, option->get(request));
  if (std::string_view(option->name) == "variant") again.merge = request.merge;
  fuzz::require(again == request, "what is printed makes the same request");
  fuzz::require(hash_of(again) == hash_of(request), "equal requests have equal hashes");
  if (const auto problem = find_problem(request)) {
    fuzz::require(find_request_option(problem->option) != nullptr, "a problem names an option");
  }
  return 0;
}
