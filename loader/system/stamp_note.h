// Puts a manifest's text into the note that a plugin reserves for it, and the file in its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loader/elf/elf_facts.h"
#include "loader/reason.h"

namespace myops::system {

// Error: foreign, where no note is reserved in the file.
Result<void> require_note(const elf::ElfFacts& facts, const std::string& file);

// Overwrites the note's descriptor in `content`, the whole file that `facts` describe: the text, then zeros. Pure.
// Errors: foreign (no note), bad-option (the text is longer than the note, less its closing zero).
Result<void> write_note(std::vector<std::byte>& content, const elf::ElfFacts& facts, std::string_view text,
                        const std::string& file);

// Makes `content` the file at `path`, with the permissions of the file `like`: under a temporary name in the same
// folder, then renamed, so that nobody ever sees half of it. Error: bad-option, with the errno text.
Result<void> replace_file(const std::string& path, const std::vector<std::byte>& content, const std::string& like);

}  // namespace myops::system
