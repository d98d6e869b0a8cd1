// The files of a tokenizer's folder.
#include <filesystem>

#include "core/base/error.h"
#include "core/text/tokenizer.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::string itself(const std::string& json) {
  return json;
}

// What the tokenizer of the folder makes of a text, and which of its ids have a role.
std::string read_folder(const std::string& path) {
  const auto tokenizer = load_tokenizer(std::filesystem::path(path).parent_path().string());
  if (tokenizer == nullptr) return "no tokenizer";
  std::string text(tokenizer->kind());
  const Tokens tokens = tokenizer->tokenize("a lo hello [MASK] <s> x");
  for (std::size_t k = 0; k < tokens.ids.size(); ++k) text += " " + std::to_string(tokens.ids[k]) + tokens.pieces[k];
  const SpecialTokens special = tokenizer->special();
  for (const auto& role : {special.unknown, special.mask, special.begin, special.end, special.pad, special.separator,
                           special.classifier}) {
    text += " " + std::to_string(role.value_or(-1));
  }
  for (std::int64_t id = 0; id < tokenizer->vocabulary_size(); ++id) text += " " + tokenizer->piece_of(id);
  return text + " " + tokenizer->decode(tokens.ids);
}

std::string small_json() {
  return R"({"added_tokens":[{"id":3,"content":"<s>","special":true}],"normalizer":{"type":"Lowercase"},)"
         R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"decoder":{"type":"ByteLevel"},)"
         R"("model":{"type":"BPE","vocab":{"l":0,"o":1,"lo":2},"merges":["l o"]}})";
}

std::string small_unigram() {
  return R"({"pre_tokenizer":{"type":"Metaspace"},"model":{"type":"Unigram","unk_id":0,)"
         R"("vocab":[["u",0],["l",-1.5],["lo",-2]]}})";
}

std::string small_vocabulary() {
  return R"({"l":0,"o":1,"h":2,"e":3,"<s>":4})";
}

std::string small_merges() {
  return "#version: 0.2\nl o\nh e\n";
}

std::string small_pieces() {
  return "[UNK]\n[MASK]\n[CLS]\n[SEP]\nhello\na\n##lo\n";
}

std::string small_config() {
  return R"({"unk_token":"[UNK]","mask_token":{"content":"[MASK]"},"do_lower_case":true})";
}

std::string small_map() {
  return R"({"cls_token":"[CLS]","sep_token":"[SEP]"})";
}

std::string small_added_tokens() {
  return R"({"[MASK]":7,"<end>":8})";
}

Files byte_level_files() {
  return {{"vocab.json", small_vocabulary()}, {"merges.txt", "#version: 0.2\n"}};
}

// A ModelProto: two pieces, each a text and the four bytes of its score, which is -1.
std::string small_sentence_pieces() {
  const auto piece = [](const std::string& text) {
    const std::string inner =
        "\x0A" + std::string(1, static_cast<char>(text.size())) + text + "\x15" + std::string("\0\0\x80\xBF", 4);
    return "\x0A" + std::string(1, static_cast<char>(inner.size())) + inner;
  };
  return piece("\xE2\x96\x81") + piece("lo");
}

// The same with <unk>, </s> and a letter that a user defined.
std::string small_piece_model() {
  const auto piece = [](const std::string& text, char type) {
    const std::string inner = "\x0A" + std::string(1, static_cast<char>(text.size())) + text + "\x18" + type;
    return "\x0A" + std::string(1, static_cast<char>(inner.size())) + inner;
  };
  return piece("<unk>", 2) + piece("</s>", 3) + small_sentence_pieces() + piece("x", 4);
}

std::string small_bpe_model() {
  return small_piece_model() + std::string("\x12\x02\x18\x02", 4);
}

Files llama_config() {
  return {{"tokenizer_config.json", R"({"tokenizer_class":"LlamaTokenizer","add_bos_token":false})"}};
}

Files marian_list() {
  return {{"vocab.json", R"({"</s>":0,"<unk>":1,"lo":2,"\u2581":3})"}};
}

Files pieces_alone() {
  return {{"vocab.txt", small_pieces()}};
}

const std::vector<Reader> kRows = {
    {.name = "tokenizer",
     .covers = "load_tokenizer read_tokenizer_json core/text/load_tokenizer.cpp",
     .file = "tokenizer.json",
     .small = small_json,
     .read = read_folder,
     .fuzz = "tokenizer tokenizer_files",
     .of_json = itself,
     .small_json = small_json,
     .passes_over = "parts that no step reads are not held",
     .says = "has no unknown token"},
    {.name = "tokenizer_of_pieces",
     .covers = "load_tokenizer",
     .file = "tokenizer.json",
     .small = small_unigram,
     .read = read_folder,
     .fuzz = "tokenizer tokenizer_files",
     .of_json = itself,
     .small_json = small_unigram,
     .passes_over = "parts that no step reads are not held",
     .says = "has no unknown token"},
    {.name = "vocabulary",
     .covers = "load_tokenizer read_byte_level_files",
     .file = "vocab.json",
     .small = small_vocabulary,
     .read = read_folder,
     .fuzz = "vocabulary tokenizer_files",
     .beside =
         [] {
           return Files{{"merges.txt", "#version: 0.2\n"}};
         },
     .of_json = itself,
     .small_json = small_vocabulary,
     .says = "no line makes the piece"},
    {.name = "merges",
     .covers = "load_tokenizer read_byte_level_files",
     .file = "merges.txt",
     .small = small_merges,
     .read = read_folder,
     .fuzz = "vocabulary tokenizer_files",
     .beside =
         [] {
           return Files{{"vocab.json", R"({"l":0,"o":1,"lo":2,"h":3,"e":4,"he":5})"}};
         }},
    {.name = "sentence_pieces",
     .covers = "load_tokenizer read_sentence_piece_file read_marian_files",
     .file = "source.spm",
     .small = small_sentence_pieces,
     .read = read_folder,
     .fuzz = "tokenizer_files",
     .beside = marian_list,
     .cut_unseen = "pieces follow one another, and nothing says how many"},
    {.name = "piece_model",
     .covers = "load_tokenizer read_sentence_piece_file read_sentence_piece_tokenizer",
     .file = "spiece.model",
     .small = small_piece_model,
     .read = read_folder,
     .fuzz = "sentence_piece tokenizer_files",
     .cut_unseen = "pieces follow one another, and nothing says how many"},
    {.name = "piece_model_of_merges",
     .covers = "load_tokenizer read_sentence_piece_file read_sentence_piece_tokenizer",
     .file = "tokenizer.model",
     .small = small_bpe_model,
     .read = read_folder,
     .fuzz = "sentence_piece tokenizer_files",
     .beside = llama_config,
     .cut_unseen = "pieces follow one another, and nothing says how many"},
    {.name = "marian_list",
     .covers = "load_tokenizer read_marian_files",
     .file = "vocab.json",
     .small = [] { return marian_list().front().second; },
     .read = read_folder,
     .fuzz = "tokenizer_files",
     .beside =
         [] {
           return Files{{"source.spm", small_sentence_pieces()}};
         },
     .of_json = itself,
     .small_json = [] { return marian_list().front().second; },
     .says = "found no piece"},
    {.name = "added_tokens",
     .covers = "load_tokenizer",
     .file = "added_tokens.json",
     .small = small_added_tokens,
     .read = read_folder,
     .fuzz = "tokenizer_files",
     .beside = byte_level_files,
     .of_json = itself,
     .small_json = small_added_tokens,
     .reads = "JSON"},
    {.name = "word_pieces",
     .covers = "load_tokenizer read_word_piece_file",
     .file = "vocab.txt",
     .small = small_pieces,
     .read = read_folder,
     .fuzz = "vocabulary tokenizer_files",
     .cut_unseen = "a piece a line, and nothing says how many",
     .any_text = "a piece a line"},
    {.name = "tokenizer_config",
     .covers = "load_tokenizer",
     .file = "tokenizer_config.json",
     .small = small_config,
     .read = read_folder,
     .fuzz = "tokenizer_files",
     .beside = pieces_alone,
     .of_json = itself,
     .small_json = small_config,
     .reads = "JSON",
     .python_numbers = true},
    {.name = "special_tokens",
     .covers = "load_tokenizer",
     .file = "special_tokens_map.json",
     .small = small_map,
     .read = read_folder,
     .fuzz = "tokenizer_files",
     .beside = pieces_alone,
     .of_json = itself,
     .small_json = small_map,
     .reads = "JSON",
     .python_numbers = true},
};

}  // namespace

std::vector<Reader> tokenizer_readers() {
  return kRows;
}

}  // namespace headscope::test
