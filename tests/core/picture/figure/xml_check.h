// A strict reader of the XML that pictures consist of: elements, attributes in double quotes, text, five entities.
#pragma once

#include <cctype>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/utf8.h"

namespace headscope {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // of its own, entities replaced
  std::size_t parent = 0;
};

// All elements in document order. Throws std::runtime_error where XML 1.0 is broken.
class XmlReader {
 public:
  explicit XmlReader(std::string_view xml) : xml_(xml) {
    const std::string_view declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    if (!xml_.starts_with(declaration)) fail("no XML declaration");
    at_ = declaration.size();
    while (at_ < xml_.size()) read();
    if (!open_.empty()) fail("an element is open at the end: " + elements_[open_.back()].name);
    if (elements_.empty()) fail("no root");
  }
  const std::vector<XmlElement>& elements() const { return elements_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(at_));
  }
  bool take(std::string_view text) {
    if (!xml_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < xml_.size() && (std::isalnum(static_cast<unsigned char>(xml_[at_])) != 0 || xml_[at_] == ':' ||
                                 xml_[at_] == '-' || xml_[at_] == '_'))
      ++at_;
    if (begin == at_ || std::isdigit(static_cast<unsigned char>(xml_[begin])) != 0) fail("no name");
    return std::string(xml_.substr(begin, at_ - begin));
  }
  // Characters up to `end`, checked: legal in XML 1.0, not < and > alone, & only in entities.
  std::string characters(char end) {
    std::string text;
    while (at_ < xml_.size() && xml_[at_] != end) {
      if (xml_[at_] == '<' || xml_[at_] == '>') fail("a bare < or >");
      if (xml_[at_] == '&') {
        if (take("&amp;")) {
          text += '&';
        } else if (take("&lt;")) {
          text += '<';
        } else if (take("&gt;")) {
          text += '>';
        } else if (take("&quot;")) {
          text += '"';
        } else {
          fail("a bare &");
        }
        continue;
      }
      const CodePoint point = code_point_at(xml_, at_);
      const bool control = point.value < 0x20 && point.value != '\n' && point.value != '\t';
      if (!point.valid || control || (point.value & 0xFFFE) == 0xFFFE) fail("a character that XML has not");
      text.append(xml_.substr(at_, static_cast<std::size_t>(point.bytes)));
      at_ += static_cast<std::size_t>(point.bytes);
    }
    return text;
  }
  void read() {
    if (!take("<")) {
      const std::string text = characters('<');
      if (open_.empty() && text.find_first_not_of("\n ") != std::string::npos) fail("text outside of the root");
      if (!open_.empty()) elements_[open_.back()].text += text;
      return;
    }
    if (take("/")) {
      if (open_.empty() || name() != elements_[open_.back()].name || !take(">")) fail("a wrong end tag");
      open_.pop_back();
      return;
    }
    if (open_.empty() && !elements_.empty()) fail("a second root");
    XmlElement element;
    element.name = name();
    element.parent = open_.empty() ? 0 : open_.back();
    while (take(" ") || take("\n")) {
      const std::string key = name();
      if (!take("=\"")) fail("an attribute without its value");
      if (!element.attributes.emplace(key, characters('"')).second) fail("an attribute twice: " + key);
      if (!take("\"")) fail("a value that does not end");
    }
    const bool empty = take("/");
    if (!take(">")) fail("a tag that does not end");
    elements_.push_back(std::move(element));
    if (!empty) open_.push_back(elements_.size() - 1);
  }

  std::string_view xml_;
  std::size_t at_ = 0;
  std::vector<XmlElement> elements_;
  std::vector<std::size_t> open_;
};

}  // namespace headscope
