#include "app/session/documents.h"
#include "app/session/capture_kind.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/session/clear_inputs.h"
#include "app/session/corpus_document.h"
#include "app/session/demo_start.h"
#include "app/session/former_showing.h"
#include "app/session/image_document.h"
#include "app/session/model_folder.h"
#include "app/session/phrase_file.h"
#include "app/session/session_paths.h"
#include "app/session/state_json.h"
#include "core/base/error.h"
#include "core/corpus/corpus_file.h"
#include "core/export/session_file.h"
#include "core/io/npy.h"
#include "core/io/tensor_formats.h"
#include "core/model/checkpoint.h"
#include "core/model/hub_folder.h"
#include "core/model/layer_weights.h"
#include "core/request/intervention_list.h"
#include "core/request/model_kind.h"
#include "core/request/model_text.h"
#include "core/text/tokenizer.h"

namespace headscope {

namespace {

// Bytes of a text whose weights are so far below 1 that a linear scale shows nothing of them: a thousand words.
constexpr std::size_t kLongText = 6000;
constexpr const char* kDemoPhrase = "Hola mi nombre es Alex";

std::string title_of(const std::string& path) {
  if (const std::string model = hub_model_name(path); !model.empty()) return model;
  return std::filesystem::path(path).filename().string();
}

Request with_layer(const std::string& path, const TensorFile& file, const Request& current) {
  read_layer_weights(path, QkvLayout::automatic);  // says now what is wrong with it
  Request request = current;
  if (is_attention_alone(request)) clear_inputs(request);
  if (request.phrase.empty() && request.input.empty() && request.token_ids.empty()) request.phrase = kDemoPhrase;
  clear_past(request);
  const Request defaults;
  request.weights = path;
  request.second_phrase.reset();
  clear_decoder(request);
  request.model = defaults.model;
  request.layer.reset();
  request.qkv_layout = defaults.qkv_layout;
  request.d_model.reset();
  request.input_dim.reset();
  request.kv_heads.reset();
  if (file.metadata.count("num_heads") != 0) request.heads.reset();
  request.variants.clear();
  clear_interventions(request);
  return request;
}

// The model as it was trained: of what was asked before, the words and where to compute stay.
Request with_checkpoint(const std::string& path, const Request& current) {
  // It says now what is wrong with it.
  Request request;
  request.model = text_of({path, {}});
  const std::shared_ptr<const Checkpoint> checkpoint =
      Checkpoint::open(request.model, current.image.empty() ? Tower::text : Tower::image);
  request.backend = current.backend;
  request.threads = current.threads;
  if (checkpoint->architecture().image && !current.image.empty()) {
    request.image = current.image;
    return request;
  }
  if (checkpoint->architecture().features && !current.features.empty()) {
    request.features = current.features;
    return request;
  }
  const bool reads_words = !checkpoint->architecture().image && !checkpoint->architecture().features;
  if (checkpoint->tokenizer() == nullptr && reads_words) {
    // The model has no tokenizer: the first ids of the vocabulary stand for a text.
    const std::int64_t count =
        std::min<std::int64_t>({8, checkpoint->architecture().vocab_size, checkpoint->architecture().max_positions});
    for (std::int64_t id = 0; id < count; ++id) request.token_ids.push_back(id);
    return request;
  }
  request.phrase = current.phrase.empty() ? kDemoPhrase : current.phrase;
  return request;
}

// What a session or a recipe says; `what` names it.
void take_session(Document& document, const SessionFile& file, const std::string& what) {
  document.request = file.request;
  document.given_phrase.clear();
  document.view.lesson.clear();
  document.against = file.against;
  try {
    apply_window(document.view, file.view, file.window);
    take_former_showing(file.window, document.request);
  } catch (const Error& error) {
    throw Error(what + ": in \"window\": " + error.what());
  }
  if (file.view) document.theme = file.view->theme;
}

// A demo knows few words; others would show nothing of what it learned. Words that somebody typed stay all the same.
void start_demo(Document& document, const Request& current, const std::string& given_phrase) {
  const DemoStart* start = demo_start(document.request.model);
  const bool typed = !current.phrase.empty() && current.phrase != given_phrase;
  if (start == nullptr || typed) return;
  document.request.phrase = document.given_phrase = start->phrase;
  document.view.lesson.clear();
  document.view.stage = document.view.quantity = StageId::weights;
  document.view.batch = 0;
  document.view.head = start->head;
  document.view.cell = start->cell;
  document.view.viewport = document.view.stage_viewport = {};
}

// Absolute, without a slash at the end.
std::string folder_path(const std::string& path) {
  std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal();
  if (!folder.has_filename() && folder.has_parent_path()) folder = folder.parent_path();
  return folder.string();
}

Request with_input(const std::string& path, const Request& current) {
  const int rank = read_npy(path).header.shape.count;
  if (rank == 4) {
    throw Error(
        path + " has 4 axes; --input expects x of [batch, seq_len, input_dim]. Queries, keys and values of " +
        "4 axes are given together as --query, --key and --value; weights are a capture, whose rows add up to 1.");
  }
  if (rank != 2 && rank != 3) {
    throw Error(path + " has " + std::to_string(rank) + (rank == 1 ? " axis" : " axes") +
                "; expected x of [batch, seq_len, input_dim], or 2 axes for batch 1.");
  }
  Request request = current;
  clear_inputs(request);
  request.input = path;
  request.input_dim.reset();
  request.batch.reset();
  request.embedding = Request().embedding;
  return request;
}

// Nothing of `current` speaks of a capture but what computes.
Request with_capture(const std::string& path, const Request& current) {
  Request request;
  request.model = text_of({path, {}});
  request.backend = current.backend;
  request.threads = current.threads;
  return request;
}

// A --model is taken for a capture by its name alone.
Request with_tensors(const std::string& path, const TensorFile& file, const Request& current) {
  const bool captured = is_capture_path(path) && is_capture(file);
  return captured ? with_capture(path, current) : with_layer(path, file, current);
}

Request with_array(const std::string& path, const Request& current) {
  if (holds_weights(path)) return with_capture(path, current);
  return reads_features(current) ? with_features(path, current) : with_input(path, current);
}

// Opens the model that lies at `path`, a place that model_place() has found.
Document opened_from(const std::string& path, const Request& current, const ViewState& view,
                     const std::string& given_phrase) {
  Document document{current, view, title_of(path), std::nullopt};
  document.given_phrase = given_phrase;
  if (path.starts_with("demo:")) {
    document.request = with_checkpoint(path, current);
    document.view.layers.layer = -1;
    start_demo(document, current, given_phrase);
    return document;
  }
  if (is_phrase_file(path)) return open_phrase(path, current, view);
  switch (file_kind(path)) {
    case FileKind::folder:
      if (is_headvis_folder(path)) {
        show_corpus(document.view, path);
        break;
      }
      [[fallthrough]];
    case FileKind::gguf:
      document.request = with_checkpoint(folder_path(path), current);
      document.title = title_of(document.request.model);
      document.view.layers.layer = -1;
      break;
    case FileKind::jpeg:
      document.request = with_image(path, current);
      break;
    case FileKind::png:
      if (is_input_picture(path, current)) {
        document.request = with_image(path, current);
        break;
      }
      [[fallthrough]];
    case FileKind::svg:
    case FileKind::pdf:
    case FileKind::page:
      take_session(document, read_session_with_paths(path), path);
      break;
    case FileKind::json:
      take_session(document, read_own_session(path), path);
      break;
    case FileKind::npy:
      document.request = with_array(path, current);
      break;
    case FileKind::npz:
      document.request = with_capture(path, current);
      break;
    case FileKind::torch:
    case FileKind::safetensors: {
      const TensorFile file = open_tensor_file(path);
      if (is_corpus(file.metadata)) {
        show_corpus(document.view, path);
        break;
      }
      document.request = with_tensors(path, file, current);
      break;
    }
  }
  return document;
}

}  // namespace

Document open_document(const std::string& named, const Request& current, const ViewState& view,
                       const std::string& given_phrase) {
  const ModelText model = model_text_of(named);
  std::error_code passed_over;
  // A file may have such a name itself.
  if (!model.adapters.empty() && !std::filesystem::exists(named, passed_over)) {
    Document document = open_document(model.base, current, view, given_phrase);
    document.request.model = text_of({base_of_model(document.request.model), model.adapters});
    if (runs_checkpoint(document.request)) Checkpoint::open(document.request.model);  // says what is wrong with them
    return document;
  }
  const std::string path = model_place(named).path;
  if (path == "seeded") return seeded_document(current, view, given_phrase);
  return opened_from(path, current, view, given_phrase);
}

Document open_session_text(const std::string& json, const std::string& title, const ViewState& view) {
  Document document{Request(), view, title, std::nullopt};
  take_session(document, parse_session(json, title), title);
  return document;
}

Document open_phrase(const std::string& path, const Request& current, const ViewState& view) {
  Document document{current, view, title_of(path), std::nullopt};
  std::string phrase = read_phrase_file(path);
  clear_inputs(document.request);
  document.request.phrase = std::move(phrase);
  document.view.lesson.clear();
  document.view.cell.reset();
  document.view.viewport = document.view.stage_viewport = {};
  if (document.request.phrase.size() >= kLongText) document.view.log_scale = true;
  return document;
}

Document seeded_document(const Request& current, const ViewState& view, const std::string& given_phrase) {
  Document document{Request(), view, "seeded", std::nullopt};
  document.request.phrase = current.phrase.empty() ? kDemoPhrase : current.phrase;
  document.request.key_phrase = current.key_phrase;
  document.request.backend = current.backend;
  document.request.threads = current.threads;
  document.given_phrase = current.phrase.empty() ? kDemoPhrase : given_phrase;
  return document;
}

Document demo_document() {
  Document document;
  document.request.phrase = document.given_phrase = kDemoPhrase;
  document.request.mask = {MaskTerm{MaskTerm::Kind::causal, 0, ""}};
  document.title = "demo";
  return document;
}

Document first_document() {
  try {
    return open_document(kDefaultModel, Request(), ViewState());
  } catch (const Error&) {
    return demo_document();
  }
}

}  // namespace headscope
