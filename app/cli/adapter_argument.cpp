#include "app/cli/adapter_argument.h"

#include "core/request/model_text.h"
#include "core/request/request_text.h"

namespace headscope::cli {

OptionSpec adapter_spec() {
  const RequestOption& option = *find_request_option(kAdapter);
  return {option.name, option.placeholder, option.help, true, true};
}

std::string adapters_given(const Arguments& arguments) {
  std::string text;
  for (const std::string& each : arguments.all(std::string(kAdapter))) text += (text.empty() ? "" : ";") + each;
  return text;
}

std::string model_with_adapters(const Arguments& arguments, const std::string& model) {
  if (!arguments.has(std::string(kAdapter))) return text_of({model, {}});
  return text_of({model, parse_adapters(adapters_given(arguments))});
}

}  // namespace headscope::cli
