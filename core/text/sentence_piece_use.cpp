#include "core/text/sentence_piece_use.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

// <s>, <pad>, </s>, <unk>, and all other pieces one further.
const FairseqIds& ids_of_xlm() {
  static const FairseqIds ids{.added = {{"<pad>", 1}}};
  return ids;
}

// CamemBERT's list begins with four names of its own and <unk>, so that <s> and </s> are pieces like others.
const FairseqIds& ids_of_camembert() {
  static const FairseqIds ids{.unknown = 3,
                              .begin = 5,
                              .end = 6,
                              .shift = 4,
                              .added = {{"<s>NOTUSED", 0}, {"<pad>", 1}, {"</s>NOTUSED", 2}, {"<unk>NOTUSED", 4}}};
  return ids;
}

// The 25 languages of mBART in its own order, and its mask.
std::vector<std::string_view> behind_mbart() {
  return {"ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN",
          "hi_IN", "it_IT", "ja_XX", "kk_KZ", "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP",
          "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN", "zh_CN", "<mask>"};
}

// The 27 that mBART-50 has more, before the mask.
std::vector<std::string_view> behind_mbart_50() {
  std::vector<std::string_view> all = behind_mbart();
  all.pop_back();
  for (const char* language : {"af_ZA", "az_AZ", "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID", "ka_GE", "km_KH", "mk_MK",
                               "ml_IN", "mn_MN", "mr_IN", "pl_PL", "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN",
                               "th_TH", "tl_XX", "uk_UA", "ur_PK", "xh_ZA", "gl_ES", "sl_SI", "<mask>"}) {
    all.emplace_back(language);
  }
  return all;
}

SentencePieceUse use_of_mbart(std::string_view name, std::string_view pattern, std::string_view pair,
                              std::vector<std::string_view> appended) {
  return {.classes = {name},
          .pattern = pattern,
          .pair = pair,
          .pair_types = "0000",
          .appended = std::move(appended),
          .mask = "<mask>",
          .fairseq = &ids_of_xlm()};
}

const std::vector<SentencePieceUse>& sentence_piece_uses() {
  static const std::vector<SentencePieceUse> uses = {
      {.classes = {"T5Tokenizer", "MT5Tokenizer"},
       .model_types = {"t5", "mt5"},
       .file = "spiece.model",
       .pattern = "A </s>",
       .pair = "A </s> B </s>",
       .pair_types = "0000",
       .sentinels = true},
      {.classes = {"AlbertTokenizer"},
       .model_types = {"albert"},
       .pattern = "[CLS] A [SEP]",
       .pair = "[CLS] A [SEP] B [SEP]",
       .pair_types = "00011",
       .mask = "[MASK]",
       .lower_case = true,
       .plain_letters = true},
      {.classes = {"DebertaV2Tokenizer"},
       .model_types = {"deberta-v2"},
       .file = "spm.model",
       .pattern = "[CLS] A [SEP]",
       .pair = "[CLS] A [SEP] B [SEP]",
       .pair_types = "00011",
       .appended = {"[MASK]"}},
      {.classes = {"LlamaTokenizer", "CodeLlamaTokenizer"},
       .model_types = {"llama", "mistral", "mixtral", "phi3"},
       .file = "tokenizer.model",
       .pattern = "<s> A",
       .switches = true},
      {.classes = {"GemmaTokenizer"},
       .model_types = {"gemma", "gemma2", "gemma3", "gemma3_text"},
       .pattern = "<bos> A",
       .switches = true},
      {.classes = {"XLMRobertaTokenizer"},
       .model_types = {"xlm-roberta"},
       .pattern = "<s> A </s>",
       .pair = "<s> A </s> </s> B </s>",
       .pair_types = "000000",
       .appended = {"<mask>"},
       .mask = "<mask>",
       .fairseq = &ids_of_xlm()},
      {.classes = {"CamembertTokenizer"},
       .model_types = {"camembert"},
       .pattern = "<s> A </s>",
       .pair = "<s> A </s> </s> B </s>",
       .pair_types = "000000",
       .appended = {"<mask>"},
       .mask = "<mask>",
       .fairseq = &ids_of_camembert()},
      // A text ends with its language, or begins with it. By the class alone: both are of the type mbart.
      use_of_mbart("MBartTokenizer", "A </s> LANGUAGE", "A B </s> LANGUAGE", behind_mbart()),
      use_of_mbart("MBart50Tokenizer", "LANGUAGE A </s>", "LANGUAGE A B </s>", behind_mbart_50()),
  };
  return uses;
}

bool has_name(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const SentencePieceUse* sentence_piece_use(std::string_view tokenizer_class, std::string_view model_type,
                                           std::string_view file_name) {
  std::string_view kind = tokenizer_class;
  if (kind.ends_with("Fast")) kind.remove_suffix(4);
  for (const SentencePieceUse& use : sentence_piece_uses()) {
    if (has_name(use.classes, kind)) return &use;
  }
  for (const SentencePieceUse& use : sentence_piece_uses()) {
    if (has_name(use.model_types, model_type)) return &use;
  }
  for (const SentencePieceUse& use : sentence_piece_uses()) {
    if (kind.empty() && model_type.empty() && use.file == file_name) return &use;
  }
  return nullptr;
}

}  // namespace headscope
