#include "app/cli/request_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/cli/adapter_argument.h"
#include "app/cli/model_words.h"
#include "app/cli/output.h"
#include "app/cli/render_corpus.h"
#include "app/session/documents.h"
#include "app/session/model_folder.h"
#include "app/session/phrase_file.h"
#include "app/session/session_paths.h"
#include "core/attention/forward.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/model/capture.h"
#include "core/request/idle_options.h"
#include "core/request/intervention_kinds.h"
#include "core/request/model_kind.h"
#include "core/request/model_text.h"
#include "core/request/option_scope.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"

namespace headscope::cli {

namespace {

// Options that hold a list: two of them would have to be merged or one forgotten, and neither is what anybody means.
bool holds_a_list(std::string_view option) {
  return option == "token-ids" || option == "decoder-ids" || option == "lengths" || option == "mask" ||
         option == "variant" || option == kAdapter || is_intervention(option);
}

void refuse_both(const Arguments& given, const std::string& a, const std::string& b, const std::string& advice) {
  if (given.has(a) && given.has(b)) {
    throw UsageError(a, fmt::format("found together with --{}", b), fmt::format("one of them, {}", advice));
  }
}

// A decoder's text gives way to another, and all that is said of a decoder to another model.
void forget_decoder(const Arguments& given, Request& request) {
  const bool model = given.has("model");
  if (model) request.attention = AttentionList::automatic;
  if (model || given.has("decoder-phrase")) request.decoder_ids.clear();
  if (model || given.has("decoder-ids")) request.decoder_phrase.reset();
}

void forget_heads(Request& request) {
  request.query.clear();
  request.key.clear();
  request.value.clear();
  request.layout = HeadsLayout::automatic;
  request.lengths.clear();
}

// The adapters of a session belong to its model: of another one they are left out, and it is said.
void leave_adapters_of_another(const std::string& model, Request& request) {
  if (base_of_model(request.model) == model) return;
  if (!acting_adapters(request.model).empty()) {
    print_notice("the session's adapters belong to its model: with --model they are left out");
  }
  request.model = base_of_model(request.model);
}

// What the command line says about a source takes the place of what the session said about the same one.
void forget_replaced(const Arguments& given, Request& request) {
  const bool alone = given.has("query") || given.has("key") || given.has("value");
  const bool phrase = given.has("phrase") || given.has("phrase-file");
  if (phrase || given.has("token-ids") || given.has("image") || given.has("features") || given.has("input") || alone) {
    if (!phrase) {
      request.phrase.clear();
      request.second_phrase.reset();
    }
    request.token_ids.clear();
    request.image.clear();
    request.features.clear();
    request.input.clear();
    if (!alone) forget_heads(request);
  }
  if (given.has("key-phrase") || given.has("key-input") || alone) {
    request.second_phrase.reset();
    request.key_phrase.reset();
    request.key_input.clear();
    request.value_input.clear();
  }
  if (given.has("second-phrase")) request.key_phrase.reset();
  forget_decoder(given, request);
  // A file has sizes of its own; what the session said about sizes was about other numbers.
  if (given.has("input") || given.has("weights")) request.input_dim.reset();
  if (given.has("input")) request.batch.reset();
  if (given.has("weights")) {
    const Request defaults;
    request.model = defaults.model;
    request.layer.reset();
    request.d_model.reset();
    request.init_gain = defaults.init_gain;
  }
  if (given.has("model")) {
    request.weights.clear();
    request.layer.reset();
    leave_adapters_of_another(given.get("model"), request);
  }
  if (given.has("model") && given.get("model") != "seeded") {
    const Request defaults;
    request.heads.reset();
    request.kv_heads.reset();
    request.d_model.reset();
    request.input_dim.reset();
    request.init_gain = defaults.init_gain;
    request.embedding = defaults.embedding;
    request.position = defaults.position;
    request.qkv_layout = defaults.qkv_layout;
    if (is_capture_path(given.get("model"))) {
      request.phrase.clear();
      request.second_phrase.reset();
      request.token_ids.clear();
      request.image.clear();
      request.features.clear();
      request.input.clear();
    }
  }
}

// A file of a checkpoint, or a name in the hub's cache, stands for a folder.
Arguments with_model_folder(Arguments given) {
  if (!given.has("model")) return given;
  const ModelPlace place = model_place(given.get("model"));
  if (!place.notice.empty()) given.notice_with_result(place.notice);
  given.values["model"] = place.path;
  return given;
}

}  // namespace

OptionGroup request_group() {
  OptionGroup group{"REQUEST", {}};
  group.options.push_back(
      {"session", "FILE", "Start from a saved request (.json, or a picture's recipe, .png, .svg, .pdf or .html)."});
  for (const RequestOption& option : request_options()) {
    const bool list = holds_a_list(option.name);
    group.options.push_back({option.name, option.placeholder, option.help, list, option.name == kAdapter});
    if (std::string_view(option.name) == "phrase") {
      group.options.push_back({"phrase-file", "FILE", "The same from a UTF-8 file."});
    }
  }
  group.options.push_back(
      {"stage-memory", "MIB", "Stages of more MiB together are computed where they are read (default 1024)."});
  return group;
}

std::int64_t stage_memory_of(const Arguments& arguments) {
  if (!arguments.has("stage-memory")) return kDefaultStageMemory;
  return whole_number("stage-memory", arguments.get("stage-memory"), 0, std::int64_t{1} << 20) << 20;
}

GivenRequest given_request(const Arguments& given) {
  if (!given.has("session")) return given_request(given, std::nullopt);
  SessionFile session = read_session_with_paths(given.get("session"));
  refuse_corpus_picture("session", given.get("session"), session);
  return given_request(given, std::move(session));
}

GivenRequest given_request(const Arguments& asked, std::optional<SessionFile> session) {
  const Arguments given = with_model_folder(asked);
  refuse_both(given, "phrase-file", "phrase", "they say the same thing");
  refuse_both(given, "weights", "model", "either one layer's file or a model");
  GivenRequest result;
  if (session) result = {std::move(session->request), session->view, std::move(session->against)};
  Request& request = result.request;
  if (takes_default_model(given)) request.model = kDefaultModel;
  forget_replaced(given, request);
  for (const RequestOption& option : request_options()) {
    if (!given.has(option.name)) continue;
    const std::string text = option.name == kAdapter ? adapters_given(given) : given.get(option.name);
    if (!is_valid_utf8(text)) {
      throw UsageError(option.name, "found bytes that are not UTF-8", "UTF-8 text");
    }
    option.set(request, text);
  }
  if (given.has("phrase-file")) request.phrase = read_phrase_file(given.get("phrase-file"));
  request = with_patch_source(std::move(request));

  const bool nothing = request.phrase.empty() && request.token_ids.empty() && request.image.empty() &&
                       request.features.empty() && request.input.empty() && !is_attention_alone(request) &&
                       !runs_capture(request);
  if (nothing && !given.has("phrase") && !given.has("phrase-file")) {
    throw UsageError("phrase", "found nothing to attend to",
                     "--phrase TEXT, or --phrase-file, --image, --features, --input, or --query, --key and --value, or "
                     "a capture as --model");
  }
  if (const std::optional<Problem> problem = find_problem(request)) throw ProblemError(*problem);
  // Only options of the command line are refused: a session's own may have been meant for another request.
  for (const RequestOption& option : request_options()) {
    if (given.has(option.name)) refuse_idle(option, request);
  }
  if (const std::string drawn = drawn_weights_notice(given, request); !drawn.empty()) given.notice_with_result(drawn);
  return result;
}

Request request_against(const Arguments& given, const GivenRequest& request, const std::string& expected) {
  if (!given.has("against") && !request.against) throw UsageError("against", "missing", expected);
  Request other;
  if (given.has("against")) {
    SessionFile file = read_session_with_paths(given.get("against"));
    refuse_corpus_picture("against", given.get("against"), file);
    other = std::move(file.request);
  } else {
    other = *request.against;
  }
  if (const std::optional<Problem> problem = find_problem(other)) {
    throw UsageError("against", fmt::format("its request cannot run: {}. {}", problem->title, problem->detail));
  }
  return other;
}

}  // namespace headscope::cli
