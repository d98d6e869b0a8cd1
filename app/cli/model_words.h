// Which model a command uses, and why where the command line does not name it.
#pragma once

#include <string>

#include "app/cli/arguments.h"
#include "core/attention/trace.h"
#include "core/request/request.h"

namespace headscope::cli {

// Whether the command line leaves the model to kDefaultModel: it names no model, session or file, and has no option
// that only drawn weights have.
bool takes_default_model(const Arguments& given);

// "random weights, because --batch was given; --model demo:stories for a trained one" of a request of drawn weights
// that nobody named; "" of others.
std::string drawn_weights_notice(const Arguments& given, const Request& request);

// Returns the sentence of a manifest about a model that nobody named: it is the default, or its weights are random.
// Returns "" for a model that was named.
std::string model_notice(const Arguments& given, const Request& request);

// The first line of what `run` prints: "model      demo:stories, layer 1 of 0 to 1; the default, --model names
// another".
std::string model_line(const Arguments& given, const Trace& trace);

}  // namespace headscope::cli
