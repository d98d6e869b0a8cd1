// What a file or folder is chosen for, and what the dialog says then.
#pragma once

#include <string>
#include <vector>

namespace headscope::ui {

constexpr const char* kExportFolder = "export folder";  // the export dialog comes back when one is chosen
constexpr const char* kModelFolder = "model";           // a folder that is a checkpoint, or a GGUF file
constexpr const char* kAdapterFolder = "adapter";       // a folder that joins the adapters of the request
constexpr const char* kPhraseFile = "phrase-file";      // a text file whose words become the phrase
constexpr const char* kImageFile = "image";             // a picture for the open model

struct OpenPurpose {
  std::string name;         // "" opens the file, else it is the option that gets the path ("mask", "input")
  std::string title;        // of the dialog
  std::string explanation;  // what fits
  std::vector<std::string> endings;
  bool folder = false;  // folders are chosen, and of files only those of the endings
};

// The purpose of that name; an option that is not listed takes an .npy.
OpenPurpose open_purpose(const std::string& name);

}  // namespace headscope::ui
