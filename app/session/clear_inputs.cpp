#include "app/session/clear_inputs.h"

namespace headscope {

void clear_past(Request& request) {
  request.key_past.clear();
  request.value_past.clear();
  request.past = 0;
}

void clear_decoder(Request& request) {
  request.decoder_phrase.reset();
  request.decoder_ids.clear();
  request.attention = AttentionList::automatic;
}

void clear_inputs(Request& request) {
  request.phrase.clear();
  request.second_phrase.reset();
  request.key_phrase.reset();
  request.token_ids.clear();
  request.image.clear();
  request.features.clear();
  request.input.clear();
  request.key_input.clear();
  request.value_input.clear();
  request.query.clear();
  request.key.clear();
  request.value.clear();
  request.layout = HeadsLayout::automatic;
  request.lengths.clear();
  clear_past(request);
}

}  // namespace headscope
