#include "loader/rules/manifest_forms.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "loader/rules/version.h"

namespace myops::rules {
namespace {

class CharacterSet {
 public:
  constexpr explicit CharacterSet(std::string_view characters) {
    for (const char c : characters) is_in_[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool contains(char c) const { return is_in_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> is_in_{};
};

#define MYOPS_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
constexpr CharacterSet kDigits("0123456789");
constexpr CharacterSet kDigitsAndDots("0123456789.");
constexpr CharacterSet kHexDigits("0123456789abcdef");
constexpr CharacterSet kWord(MYOPS_LETTERS "0123456789_");
constexpr CharacterSet kNameCharacters(MYOPS_LETTERS "0123456789_.-");
constexpr CharacterSet kReleaseCharacters(MYOPS_LETTERS "0123456789_.+-");
#undef MYOPS_LETTERS

constexpr std::size_t kMaxName = 128;
constexpr std::size_t kMaxSchema = 16384;

bool made_of(std::string_view text, const CharacterSet& characters, std::size_t most = kMaxName) {
  return !text.empty() && text.size() <= most &&
         std::ranges::all_of(text, [&](char c) { return characters.contains(c); });
}

bool is_identifier(std::string_view text) { return made_of(text, kWord) && !kDigits.contains(text[0]); }

// "ns::name" or "ns::name.overload", as c10::OperatorName has them.
bool is_operator(std::string_view text) {
  const std::size_t separator = text.find("::");
  if (separator == std::string_view::npos || !is_identifier(text.substr(0, separator))) return false;
  const std::string_view name = text.substr(separator + 2);
  const std::size_t dot = name.find('.');
  return is_identifier(name.substr(0, dot)) && (dot == std::string_view::npos || made_of(name.substr(dot + 1), kWord));
}

bool is_definition(std::string_view text) {
  return text.size() <= kMaxSchema && is_operator(text.substr(0, text.find('('))) &&
         text.find(") -> ") != std::string_view::npos;
}

bool is_cuda_version(std::string_view text) {
  const auto version = parse_version(text);
  return version && text.size() <= kMaxName && version->suffix.empty() && made_of(text, kDigitsAndDots);
}

bool is_gpu_arch(std::string_view text) {
  if (text.ends_with('a') || text.ends_with('f')) text.remove_suffix(1);
  return text.size() >= 2 && made_of(text, kDigits, 4);
}

}  // namespace

std::string stable_since(std::string_view abi) {
  constexpr std::string_view kStart = "stable>=";
  return abi.starts_with(kStart) ? std::string(abi.substr(kStart.size())) : "";
}

constexpr TextForm kNameForm = {"1 to 128 letters, digits, '_', '.' or '-'",
                                [](std::string_view text) { return made_of(text, kNameCharacters); }};
constexpr TextForm kReleaseForm = {"1 to 128 letters, digits, '_', '.', '+' or '-'",
                                   [](std::string_view text) { return made_of(text, kReleaseCharacters); }};
constexpr TextForm kNamespaceForm = {"an identifier of up to 128 letters, digits or '_'", is_identifier};
constexpr TextForm kOperatorForm = {"an operator name, as NAMESPACE::NAME or NAMESPACE::NAME.OVERLOAD", is_operator};
constexpr TextForm kDefinitionForm = {"a schema, as NAMESPACE::NAME(ARGUMENTS) -> RESULTS", is_definition};
constexpr TextForm kKeyForm = {"a dispatch key's name", is_identifier};
constexpr TextForm kVersionForm = {
    "a version number", [](std::string_view text) { return parse_version(text) && made_of(text, kReleaseCharacters); }};
constexpr TextForm kCudaForm = {"a CUDA version, or an empty text",
                                [](std::string_view text) { return text.empty() || is_cuda_version(text); }};
constexpr TextForm kAbiForm = {"\"exact\", or \"stable>=MAJOR.MINOR\"", [](std::string_view text) {
                                 return text == "exact" || is_cuda_version(stable_since(text));
                               }};
constexpr TextForm kCxx11AbiForm = {"\"new\", \"old\" or an empty text", [](std::string_view text) {
                                      return text == "new" || text == "old" || text.empty();
                                    }};
constexpr TextForm kBuildIdForm = {"lower-case hexadecimal digits, or an empty text",
                                   [](std::string_view text) { return text.empty() || made_of(text, kHexDigits); }};
constexpr TextForm kArchForm = {"1 to 128 letters, digits, '_', '.' or '-'",
                                [](std::string_view text) { return made_of(text, kNameCharacters); }};
constexpr TextForm kLevelForm = {"up to 128 letters, digits, '_', '.' or '-'",
                                 [](std::string_view text) { return text.empty() || made_of(text, kNameCharacters); }};
constexpr TextForm kGpuArchForm = {"2 to 4 digits, perhaps with 'a' or 'f' after them", is_gpu_arch};
constexpr TextForm kGitForm = {"up to 128 letters, digits, '_', '.' or '-'",
                               [](std::string_view text) { return text.empty() || made_of(text, kNameCharacters); }};

}  // namespace myops::rules
