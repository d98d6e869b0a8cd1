#include "app/ui/widgets/font_role.h"

namespace headscope::ui {

FontRole font_role(Type type) {
  switch (type) {
    case Type::words11:
    case Type::words12:
    case Type::words13:
    case Type::words16:
      return FontRole::words;
    case Type::title12:
    case Type::title13:
    case Type::title15:
      return FontRole::words_bold;
    case Type::mono_bold11:
    case Type::mono_bold12:
    case Type::mono_bold20:
      return FontRole::numbers_bold;
    default:
      return FontRole::numbers;
  }
}

}  // namespace headscope::ui
