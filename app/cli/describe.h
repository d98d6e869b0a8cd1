// Describes the content of a file, as JSON and as text.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/cancel.h"
#include "core/export/session_file.h"
#include "core/model/architecture.h"

namespace headscope {
class Checkpoint;
class Tokenizer;
}  // namespace headscope

namespace headscope::cli {

struct Description {
  nlohmann::ordered_json json;  // "path", "kind", and the keys of this kind
  std::string text;
};

// What reading a large file asks and tells meanwhile.
struct Reading {
  const CancelToken& cancel;
  std::function<void(double share)> progress;  // of the file, in [0, 1]
};

// Each throws Error when the file is malformed, and those that take a Reading throw Cancelled.
Description describe_npy(const std::string& path, const Reading& reading);  // describe_arrays.cpp
Description describe_npz(const std::string& path, const Reading& reading);  // describe_arrays.cpp
// Safetensors and files of torch.save; describe_arrays.cpp.
Description describe_tensors(const std::string& path, const Reading& reading);
Description describe_session(const std::string& path);  // describe_documents.cpp
Description describe_jpeg(const std::string& path);     // describe_image.cpp
Description describe_picture(const std::string& path);  // describe_documents.cpp
Description describe_drawing(const std::string& path);  // an SVG or PDF
Description describe_folder(const std::string& path);   // describe_folder.cpp; also "demo:NAME"
Description describe_gguf(const std::string& path);     // describe_folder.cpp

Description describe_families();                             // what opens; describe_families.cpp
Description describe_model_config(const std::string& path);  // a config.json by itself; describe_config.cpp

// Which vocabulary a file is that holds nothing else, SentencePiece's or tiktoken's; "" for every other.
std::string vocabulary_kind(const std::string& path);           // describe_tokenizer.cpp
Description describe_vocabulary_file(const std::string& path);  // describe_tokenizer.cpp

// Adds a tokenizer as "tokenizer". `unknown`: why one that is there cannot be used.
void add_tokenizer(const Tokenizer* tokenizer, const std::string& unknown, Description& description);

// Adds the keys and tensors of a GGUF file as "metadata" and "tensors".
void add_gguf(const std::string& path, Description& description);  // describe_gguf.cpp

// Adds how many experts a model chooses from, and whether its heads have learned sinks.
void add_mixture(const Architecture& model, Description& description);  // describe_mixture.cpp

// How a model knows where a token stands: "none", "learned", "rotary".
const char* position_name(Architecture::Position position);  // describe_image.cpp
// What the model reads, and how it knows where a token stands: "vocabulary 50257, learned positions up to 1024".
std::string reading_text(const Architecture& model);  // describe_image.cpp

// Adds the images that a model reads as "image", null where it reads texts.
void add_image_rule(const Checkpoint& checkpoint, Description& description);  // describe_image.cpp
// Adds the features of sounds that a model reads as "features", null where it reads none.
void add_feature_rule(const Checkpoint& checkpoint, Description& description);  // describe_image.cpp

// The part that has the output head: of a model with an encoder and a decoder the decoder, else the model itself.
const Checkpoint& predicting_part(const Checkpoint& checkpoint);  // describe_lists.cpp

// Adds the lists of layers of a model with an encoder and a decoder as "lists"; nothing of other models.
void add_lists(const Checkpoint& checkpoint, Description& description);  // describe_lists.cpp

// Adds what an .hsagg says of its corpus as "corpus", without the numbers of its heads.
void add_corpus(const std::string& path, Description& description);  // describe_corpus.cpp

// Adds the content of a capture as "capture"; when it cannot be used, adds the reason.
void add_capture(const std::string& path, const CancelToken& cancel, Description& description);  // describe_capture.cpp

// The request of a session, a recipe or an export, and the command that repeats it.
void add_request(const SessionFile& session, Description& description);  // describe_documents.cpp

}  // namespace headscope::cli
