// What a model reads: which kind of source; of a decoder with an encoder beside it its text, and which part of a
// request is the encoder's. Internal to
// core/model and to core/attention, which runs the model.
#pragma once

#include "core/model/checkpoint.h"
#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// The request that the layers of another list than the shown one run with: model, texts and what computes; no mask,
// scale or intervention.
Request request_of_other_list(const Request& request);

// The same of the encoder.
Request request_of_encoder(const Request& request);

// A model, or its encoder, reads texts, images or the features of sounds: UsageError for a request with another kind.
void check_source(const Request& request, const Architecture& architecture);

// UsageError for a text of a decoder, or a list of layers, that the checkpoint does not have, and for patches of the
// layer that gathers what a model gives.
void check_decoder_options(const Request& request, const Checkpoint& checkpoint);

// Tokens and ids of the decoder's text. Of a phrase: those of the tokenizer without the end of a text that it puts
// behind, and, where it is not the first already, the decoder's start token in front. UsageError for a phrase without a
// tokenizer or a start token, and for ids that are none of the vocabulary.
void read_decoder_text(const Request& request, Inputs& inputs);

// Keys and values of cross-attention: what the encoder gives, which its run makes.
void attend_to(const Inputs& encoder, Inputs& inputs);

}  // namespace headscope
