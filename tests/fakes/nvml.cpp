// A stand-in for NVIDIA's management library: two cards; FAKE_NVML in the environment has it hang, crash or fail.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

struct Card {
  const char* name;
  int major, minor;
  const char* uuid;
};
Card cards[] = {{"NVIDIA H200", 9, 0, "GPU-11111111-aaaa"}, {"NVIDIA L4", 8, 9, "GPU-22222222-bbbb"}};

bool is_asked_to(const char* deed) {
  const char* value = std::getenv("FAKE_NVML");
  return value != nullptr && std::strcmp(value, deed) == 0;
}

int give(const char* text, char* buffer, unsigned size) {
  if (std::strlen(text) >= size) return 7;
  std::strcpy(buffer, text);
  return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (is_asked_to("hang")) ::sleep(600);
  if (is_asked_to("crash")) std::abort();
  return is_asked_to("fail") ? 9 : 0;
}
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char* buffer, unsigned size) { return give("580.65.06", buffer, size); }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &cards[index];
  return 0;
}
int nvmlDeviceGetName(void* device, char* buffer, unsigned size) {
  return give(static_cast<Card*>(device)->name, buffer, size);
}
int nvmlDeviceGetUUID(void* device, char* buffer, unsigned size) {
  return give(static_cast<Card*>(device)->uuid, buffer, size);
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  *major = static_cast<Card*>(device)->major;
  *minor = static_cast<Card*>(device)->minor;
  return 0;
}

}  // extern "C"
