#include "app/ui/dialogs/open_purpose.h"

#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/sweep/sweep_panel.h"

namespace headscope::ui {

OpenPurpose open_purpose(const std::string& name) {
  static const std::vector<OpenPurpose> purposes = {
      {"",
       "Open",
       "a session (.json), a picture of Headscope's (.png, .svg, .pdf, .html), one layer, a model (.gguf), a capture, "
       "x (.npy), a phrase (.txt), a corpus (.hsagg), a picture for the open model (.png, .jpg)",
       {".json", ".png", ".jpg", ".jpeg", ".svg", ".pdf", ".html", ".safetensors", ".bin", ".pt", ".pth", ".gguf",
        ".npy", ".npz", ".txt", ".text", ".md", ".hsagg"}},
      // No file's name ends with a slash: folders only.
      {kExportFolder, "Choose a folder", "where the export is written", {"/"}, true},
      {kModelFolder,
       "Open a checkpoint",
       "a folder with config.json, model.safetensors or pytorch_model.bin (or their shards) and a tokenizer; or a GGUF "
       "model (.gguf)",
       {".gguf"},
       true},
      {kAdapterFolder,
       "Add an adapter",
       "a folder of PEFT or MLX with adapter_config.json and adapter_model.safetensors: LoRA or DoRA of the open model",
       {"/"},
       true},
      {"mask",
       "Choose a mask file",
       ".npy or .csv that broadcasts to [batch, heads, query_len, key_len]",
       {".npy", ".csv"}},
      {"weights",
       "Choose one attention layer",
       ".safetensors, .pt, .pth or .bin with the tensor names of torch or of one of the tutorials",
       {".safetensors", ".pt", ".pth", ".bin"}},
      {kImageFile,
       "Choose an image",
       "a picture (.png, .jpg) for the open model, which reads images",
       {".png", ".jpg", ".jpeg"}},
      {kTheirTensors,
       "Compare with my tensors",
       "one stage (.npy, named like it or of its shape) or several (.safetensors)",
       {".npy", ".safetensors"}},
      {kCorpusListPurpose,
       "Open the list of a corpus",
       "the phrases that were scanned: .txt (a line each) or .jsonl, packed (.gz) or not; or a folder of such files",
       {".txt", ".jsonl", ".ndjson", ".gz"},
       true},
      {kSweepListPurpose,
       "Means over a list of phrases",
       "phrases: .txt (a line each) or .jsonl, packed (.gz) or not; or a folder of such files",
       {".txt", ".jsonl", ".ndjson", ".gz"},
       true},
      {kPhraseFile,
       "Open a phrase",
       "a text (.txt, .text, .md): its words become the phrase",
       {".txt", ".text", ".md"}},
  };
  for (const OpenPurpose& purpose : purposes) {
    if (purpose.name == name) return purpose;
  }
  return {name, "Choose a file for " + name, ".npy", {".npy"}};
}

}  // namespace headscope::ui
