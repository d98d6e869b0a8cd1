// What Whisper's tokenizer puts around a text where its folder has no tokenizer.json that says it.
#pragma once

#include "core/text/json_part.h"
#include "core/text/pipeline_tokenizer.h"

namespace headscope {

// Of tokenizer_config.json's class Whisper: <|startoftranscript|>, the language and the task that it names,
// <|notimestamps|> unless it has predict_timestamps, and behind the text its eos_token. Other classes, and vocabularies
// without <|startoftranscript|>, stay as they are. Throws UnknownTokenizer for a language whose token the vocabulary
// does not have under the language's code, and Error.
void add_transcript_frame(const JsonPart& config, TokenizerParts& parts);

}  // namespace headscope
