// On which requests an option of REQUEST acts: a column of its table. A row that says nothing acts on none, so that a
// new option is refused until its row says what it is for.
#pragma once

namespace headscope {

struct Request;

struct OptionScope {
  bool (*acts)(const Request&) = nullptr;  // null: on none
  const char* on = "";                     // in words, of requests on which it acts: "random weights: --model seeded"
  // It says how another option is done, as mask-kind does of mask: given without that one it is no mistake, for it
  // changes nothing that anybody asked for.
  bool of_another = false;
  bool acts_on(const Request& request) const { return acts != nullptr && acts(request); }
};

inline constexpr bool on_any_request(const Request&) {
  return true;
}

inline constexpr OptionScope kActsOnAll{on_any_request};
inline constexpr OptionScope kActsWithAnother{on_any_request, "", true};

// What is drawn, and what of a layer is read: by the spelling of the request alone, as in model_kind.h.
bool draws_weights(const Request& request);
bool draws_vectors(const Request& request);
bool draws_anything(const Request& request);
bool reads_vectors(const Request& request);
bool may_read_fused_rows(const Request& request);
bool reads_head_files(const Request& request);

inline constexpr OptionScope kActsOnDrawnWeights{draws_weights, "random weights: --model seeded"};
inline constexpr OptionScope kActsOnDrawnVectors{draws_vectors,
                                                 "words whose vectors are drawn: --model seeded or --weights FILE"};
inline constexpr OptionScope kActsOnDrawn{draws_anything,
                                          "what is drawn: --model seeded, or the words of --weights FILE"};
inline constexpr OptionScope kActsOnVectors{reads_vectors,
                                            "the vectors of one layer: --model seeded or --weights FILE"};
inline constexpr OptionScope kActsOnHeadFiles{reads_head_files, "attention alone: --query, --key and --value"};
inline constexpr OptionScope kActsOnFused{
    may_read_fused_rows,
    "one projection of query, key and value: --weights FILE, or --model seeded without --kv-heads"};

}  // namespace headscope
