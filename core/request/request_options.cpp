// The table of REQUEST: one line an option, in the contract's order.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/request/intervention_options.h"
#include "core/request/mask_terms.h"
#include "core/request/model_kind.h"
#include "core/request/model_text.h"
#include "core/request/option_rows.h"
#include "core/request/option_scope.h"
#include "core/request/option_text.h"
#include "core/request/option_values.h"
#include "core/request/option_words.h"
#include "core/request/request_text.h"
#include "core/request/shown_options.h"
#include "core/request/size_words.h"
#include "core/request/variant_infos.h"
#include "core/request/word_option.h"

namespace headscope {

namespace {

using R = Request;

constexpr Word<QkvLayout> kQkvLayouts[] = {{QkvLayout::per_head, "per-head"}, {QkvLayout::blocked, "blocked"}};
constexpr Word<AttentionList> kAttentionLists[] = {{AttentionList::encoder, "encoder"},
                                                   {AttentionList::decoder, "decoder"},
                                                   {AttentionList::cross, "cross"},
                                                   {AttentionList::pool, "pool"}};
constexpr Word<Embedding> kEmbeddings[] = {{Embedding::token, "token"}, {Embedding::sequence, "sequence"}};
constexpr Word<Position> kPositions[] = {{Position::none, "none"}, {Position::sinusoidal, "sinusoidal"}};
constexpr Word<MaskKind> kMaskKinds[] = {{MaskKind::additive, "additive"},
                                         {MaskKind::keep, "keep"},
                                         {MaskKind::hide, "hide"},
                                         {MaskKind::key_keep, "key-keep"},
                                         {MaskKind::key_hide, "key-hide"}};
constexpr Word<HeadsLayout> kHeadsLayouts[] = {
    {HeadsLayout::bhsd, "bhsd"}, {HeadsLayout::bshd, "bshd"}, {HeadsLayout::thd, "thd"}};
constexpr Word<CausalAlign> kCausalAligns[] = {{CausalAlign::top_left, "top-left"},
                                               {CausalAlign::bottom_right, "bottom-right"}};
constexpr Word<MaskOrder> kMaskOrders[] = {{MaskOrder::after_scale, "after-scale"},
                                           {MaskOrder::before_scale, "before-scale"}};
constexpr Word<FullyMasked> kFullyMasked[] = {
    {FullyMasked::as_computed, "as-computed"}, {FullyMasked::zero, "zero"}, {FullyMasked::uniform, "uniform"}};
constexpr Word<SoftcapOrder> kSoftcapOrders[] = {{SoftcapOrder::before_mask, "before-mask"},
                                                 {SoftcapOrder::after_mask, "after-mask"}};
constexpr Word<Merge> kMerges[] = {{Merge::transpose, "transpose"}, {Merge::direct, "direct"}};
constexpr Word<BackendChoice> kBackends[] = {{BackendChoice::automatic, "auto"},
                                             {BackendChoice::cpu, "cpu"},
                                             {BackendChoice::gpu, "gpu"},
                                             {BackendChoice::reference, "reference"}};
constexpr OptionScope kActsOnCheckpoints{runs_checkpoint, "a whole model: --model demo:NAME or a checkpoint's folder"};

// What is read: texts, ids, pictures and sounds.
std::vector<RequestOption> source_options() {
  return {
      {"phrase", "TEXT",
       "Words for queries, and for keys and values unless those are given; for a capture the names of its tokens.",
       [](const R& r) { return r.phrase; },
       [](R& r, const std::string& text) {
         check_text("phrase", text, true);
         r.phrase = text;
       },
       false, kChangesInputs, kActsOnAll},
      {"second-phrase", "TEXT",
       "A second text in the same sequence, for models that read pairs: [CLS] A [SEP] B [SEP].",
       [](const R& r) { return r.second_phrase.value_or(""); },
       [](R& r, const std::string& text) {
         check_text("second-phrase", text, true);
         r.second_phrase = text;
       },
       false, kChangesInputs, kActsOnAll},
      {"token-ids", "1,2,0", "Ids of the model's vocabulary instead of a phrase.",
       [](const R& r) { return fmt::format("{}", fmt::join(r.token_ids, ",")); }, set_token_ids, false, kChangesInputs,
       kActsOnAll},
      path_option<"image", &R::image>(
          "FILE", "A picture (PNG, JPEG) instead of a phrase, for models that read images: its patches are the tokens.",
          kChangesInputs, kActsOnAll),
      path_option<"features", &R::features>(
          "FILE.npy",
          "A sound's features [mel bands, frames] instead of a phrase, for models that read them (Whisper).",
          kChangesInputs, kActsOnAll),
      {"decoder-phrase", "TEXT",
       "Of an encoder-decoder: the decoder's text, put behind its start token; phrase is the encoder's.",
       [](const R& r) { return r.decoder_phrase.value_or(""); },
       [](R& r, const std::string& text) {
         check_text("decoder-phrase", text, true);
         r.decoder_phrase = text;
       },
       false, kChangesInputs, kActsOnAll},
      {"decoder-ids", "0,5,9", "Ids instead of a decoder phrase, the start token among them.",
       [](const R& r) { return fmt::format("{}", fmt::join(r.decoder_ids, ",")); }, set_decoder_ids, false,
       kChangesInputs, kActsOnAll},
      {"key-phrase", "TEXT", "Cross-attention: words for keys and values; for a capture the names of its keys.",
       [](const R& r) { return r.key_phrase.value_or(""); },
       [](R& r, const std::string& text) {
         check_text("key-phrase", text, true);
         r.key_phrase = text;
       },
       false, kOwnInputs<&R::key_phrase>, kActsOnAll},
  };
}

// Files of vectors, queries, keys and values.
std::vector<RequestOption> vector_options() {
  return {
      path_option<"input", &R::input>("FILE.npy", "x instead of a phrase: [batch, seq_len, input_dim], or 2-D.",
                                      kChangesInputs, kActsOnAll),
      path_option<"key-input", &R::key_input>("FILE.npy", "Cross-attention: x of the keys.", kOwnInputs<&R::key_input>,
                                              kActsOnAll),
      path_option<"value-input", &R::value_input>("FILE.npy", "Cross-attention: x of the values, if not the keys' own.",
                                                  kOwnInputs<&R::value_input>, kActsOnAll),
      path_option<"query", &R::query>("FILE.npy",
                                      "Attention alone: queries, [batch, heads, len, head_dim], or 3-D with --heads.",
                                      kOwnInputs<&R::query, RowsApart::nowhere>, kActsOnAll),
      path_option<"key", &R::key>("FILE.npy", "Attention alone: keys, [batch, kv_heads, len, head_dim], or 3-D.",
                                  kOwnInputs<&R::key, RowsApart::nowhere>, kActsOnAll),
      path_option<"value", &R::value>("FILE.npy", "Attention alone: values, [batch, kv_heads, len, head_dim], or 3-D.",
                                      kOwnInputs<&R::value, RowsApart::nowhere>, kActsOnAll),
      word_option<"layout", &R::layout, kHeadsLayouts>(
          "bhsd|bshd|thd",
          "The axes of --query, --key and --value, and of diagnose's --theirs: [batch, heads, len, head_dim], [batch, "
          "len, heads, head_dim], or packed texts [sum of --lengths, heads, head_dim] (what alone fits; bhsd).",
          {OptionChanges::inputs, where_given<&R::layout, RowsApart::nowhere>}, kActsOnHeadFiles),
      {"lengths", "N,N",
       "How long each text is, of packed arrays or of the items of a batch: no query sees keys of other texts or of "
       "padding, and results are packed.",
       [](const R& r) { return fmt::format("{}", fmt::join(r.lengths, ",")); }, set_lengths, false,
       kOwnInputs<&R::lengths, RowsApart::nowhere>, kActsOnHeadFiles},
      path_option<"key-past", &R::key_past>("FILE.npy",
                                            "Keys before the others: [batch, kv_heads, past_len, head_dim].",
                                            kOwnInputs<&R::key_past>, kActsOnAll),
      path_option<"value-past", &R::value_past>("FILE.npy", "Values before the others, as many as --key-past has keys.",
                                                kOwnInputs<&R::value_past>, kActsOnAll),
  };
}

// Where the weights come from, and the sizes of what is drawn.
std::vector<RequestOption> weight_options() {
  return {
      {"model", "demo:NAME|seeded|PATH",
       "Where weights come from: a checkpoint folder, a GGUF model (.gguf), or a capture (.safetensors, .npy, .npz, "
       ".pt). The default is demo:stories; with an option that only drawn weights have, as --d-model, --seed or "
       "--batch, it is seeded: random weights.",
       base_option, set_base_option, false, kChangesInputs, kActsOnAll},
      {"adapter", "DIR[*SCALE][;...]",
       "Folders of PEFT or MLX with LoRA or DoRA of the model, whose changes, times SCALE (1), are added to its "
       "weights before anything is computed, one after the other: W + SCALE * alpha / r * B A. With off: before it: "
       "listed, not added. May be given several times.",
       adapter_option, set_adapter_option, false, kChangesInputs, kActsOnCheckpoints},
      size_option<"layer", &R::layer>("Layer of a model with several; the last when not given.", kChangesInputs,
                                      kActsOnAll),
      word_option<"attention", &R::attention, kAttentionLists>(
          "encoder|decoder|cross|pool",
          "Of an encoder-decoder: the list that layer counts in (cross with a decoder text, else encoder). pool: the "
          "layer that gathers a SigLIP image's patches.",
          kChangesInputs, kActsOnAll),
      path_option<"weights", &R::weights>(
          "FILE", "One attention layer (.safetensors, .pt, .pth, .bin), as torch or the tutorials save it.",
          kChangesInputs, kActsOnAll),
      word_option<"qkv-layout", &R::qkv_layout, kQkvLayouts>(
          "per-head|blocked", "How the rows of a fused projection are laid out.", kChangesStages, kActsOnFused),
      size_option<"heads", &R::heads>("Number of heads; must divide d_model (8 for seeded weights).", kChangesStages,
                                      kActsOnAll),
      size_option<"kv-heads", &R::kv_heads>("Key and value heads that groups of heads share (default: heads).",
                                            kChangesStages, kActsOnAll),
      size_option<"d-model", &R::d_model>("Width of the layer (512 for seeded weights).", kChangesInputs, kActsOnAll),
      size_option<"input-dim", &R::input_dim>("Width of x (default: d_model).", kChangesInputs, kActsOnAll),
      size_option<"batch", &R::batch>("How many sequences are drawn with --embedding sequence, or repeated (1).",
                                      kChangesInputs, kActsOnAll),
      seed_option<"seed", &R::seed>("What seeded weights and vectors are drawn from (0).", kChangesInputs,
                                    kActsOnDrawn),
      {"init-gain", "G", "Multiplies every seeded weight matrix (1).",
       [](const R& r) { return r.init_gain == 1 ? std::string() : double_text(r.init_gain); },
       [](R& r, const std::string& text) { r.init_gain = parse_finite("init-gain", text, "a number, such as 1"); },
       true, kChangesInputs, kActsOnDrawnWeights},
      word_option<"embedding", &R::embedding, kEmbeddings>("token|sequence",
                                                           "A vector per distinct word, or one draw of the sequence.",
                                                           kChangesInputs, kActsOnDrawnVectors),
      word_option<"position", &R::position, kPositions>("none|sinusoidal", "What is added to tell positions apart.",
                                                        kChangesInputs, kActsOnVectors),
  };
}

// The mask.
std::vector<RequestOption> mask_options() {
  static const std::string mask_help =
      fmt::format("none, {}, a .npy or .csv file; several compose.", mask_term_spellings());
  return {
      {"mask", "MASK[,MASK...]", mask_help.c_str(),
       [](const R& r) { return r.mask.empty() ? std::string() : mask_text(r.mask); }, set_mask, false, kChangesInputs,
       kActsOnAll},
      word_option<"mask-kind", &R::mask_kind, kMaskKinds>("additive|keep|hide|key-keep|key-hide",
                                                          "Meaning of a mask file: added, 1 = visible, 1 = hidden; "
                                                          "key-keep and key-hide: the same of [batch, key_len], "
                                                          "for every head and query.",
                                                          kChangesInputs, kActsWithAnother),
      word_option<"causal-align", &R::causal_align, kCausalAligns>(
          "top-left|bottom-right", "Where the diagonal starts when lengths differ.", kChangesInputs, kActsWithAnother),
      {"past",
       "N",
       "The queries begin at place N of the keys: masks count i from N (the length of --key-past, else 0).",
       [](const R& r) { return r.past == 0 ? std::string() : std::to_string(std::max<std::int64_t>(r.past, 0)); },
       set_past,
       true,
       {OptionChanges::inputs, rows_of_past},
       kActsWithAnother},
      word_option<"mask-order", &R::mask_order, kMaskOrders>("after-scale|before-scale",
                                                             "Whether scores are masked after or before the scaling.",
                                                             kChangesStages, kActsWithAnother),
      {"mask-fill",
       "-inf|VALUE",
       "The score that a hidden cell gets (-inf).",
       [](const R& r) { return r.mask_fill == R{}.mask_fill ? std::string() : double_text(r.mask_fill); },
       set_mask_fill,
       true,
       {OptionChanges::named_stages, where_given<&R::mask_fill, RowsApart::projections>},
       kActsWithAnother},
      word_option<"fully-masked", &R::fully_masked, kFullyMasked>(
          "as-computed|zero|uniform", "Weights of rows whose every key is hidden.",
          {OptionChanges::named_stages, rows_of_fully_masked}, kActsWithAnother),
  };
}

// Scores, weights, and what becomes of them.
std::vector<RequestOption> score_options() {
  return {
      {"scale", "auto|S", "What raw scores are multiplied by (1/sqrt(head_dim)).",
       [](const R& r) { return r.scale ? double_text(*r.scale) : std::string(); }, set_scale, true, kChangesStages,
       kActsOnAll},
      {"softcap", "C", "Scores become C * tanh(score / C) before the mask (off).",
       [](const R& r) { return r.softcap ? double_text(*r.softcap) : std::string(); }, set_softcap, true,
       kChangesStages, kActsOnAll},
      word_option<"softcap-order", &R::softcap_order, kSoftcapOrders>(
          "before-mask|after-mask", "Whether the cap is put on scores before the mask adds to them, or after.",
          kChangesStages, kActsWithAnother),
      {"dropout", "P", "Probability that a weight is dropped; the kept ones are divided by 1 - P (0).",
       [](const R& r) { return r.dropout == 0 ? std::string() : double_text(r.dropout); }, set_dropout, true,
       kChangesStages, kActsOnAll},
      seed_option<"dropout-seed", &R::dropout_seed>("What dropped weights are drawn from (0).", kChangesStages,
                                                    kActsWithAnother),
      path_option<"dropout-mask", &R::dropout_mask>("FILE.npy", "1 = kept, instead of a draw.",
                                                    kOwnInputs<&R::dropout_mask>, kActsWithAnother),
      word_option<"merge", &R::merge, kMerges>(
          "transpose|direct", "Heads merged correctly, or reshaped without transposing back.",
          {OptionChanges::named_stages, where_given<&R::merge, RowsApart::context>}, kActsOnAll),
      {"variant",
       "NAME[,NAME]",
       "Known mistakes switched on (none).",
       variants_text,
       set_variants,
       false,
       {OptionChanges::named_stages, rows_of_variants},
       kActsOnAll},
      path_option<"patch-from", &R::patch_from>("SESSION",
                                                "The session, or picture that carries one, whose run is A of --patch.",
                                                kChangesInputs, kActsWithAnother),
      word_option<"backend", &R::backend, kBackends>("auto|cpu|gpu|reference", "What computes.", kChangesNothing,
                                                     kActsOnAll),
      {"threads", "N", "Threads of the CPU backend; 0: all cores.",
       [](const R& r) { return r.threads == 0 ? std::string() : std::to_string(r.threads); },
       [](R& r, const std::string& text) {
         const std::int64_t threads = parse_size("threads", text);
         if (threads > kMostThreads) {
           refuse_value("threads", text, "a possible number of threads", range_text(size_words_of("threads")));
         }
         r.threads = static_cast<int>(threads);
       },
       true, kChangesNothing, kActsOnAll},
  };
}

}  // namespace

const std::vector<RequestOption>& request_options() {
  static const std::vector<RequestOption> options = [] {
    std::vector<RequestOption> all;
    for (const auto& part :
         {source_options(), vector_options(), weight_options(), mask_options(), score_options(), shown_options()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return with_interventions(std::move(all));
  }();
  return options;
}

}  // namespace headscope
