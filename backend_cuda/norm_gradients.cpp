// The gradients of a norm: rows first, then, from their moments, the sums over rows that the gradients of weight and
// bias are.
#include "backend_cuda/launch_shape.h"
#include "backend_cuda/norm_tensors.h"

namespace myops::cuda {
namespace {

// One row for each chunk of rows, in double; null where it is not wanted.
class PartialSums {
 public:
  PartialSums(bool wanted, int64_t chunks, int64_t size)
      : memory_(wanted ? chunks * size * static_cast<int64_t>(sizeof(double)) : 0), chunks_(chunks), size_(size) {}

  double* get() const { return static_cast<double*>(memory_.get()); }

  void add_up(const char* op, const at::Tensor& vector) const {
    check_launch(
        op, vector,
        launch_sum_of_rows(dtype_of(vector), get(), chunks_, size_, vector.mutable_data_ptr(), current_stream()));
  }

 private:
  Scratch memory_;
  int64_t chunks_;
  int64_t size_;
};

at::Tensor vector_like(const at::Tensor& input, int64_t size) { return empty_on_device({size}, input.scalar_type()); }

void fill_vectors(const char* op, const at::Tensor& grad, const at::Tensor& input, const Scratch& moments,
                  const Gradients& gradients) {
  const int64_t size = input.size(-1);
  const int64_t rows = input.numel() / size;
  const int64_t chunks = column_chunks(rows, size);
  const PartialSums weight_sums(gradients.weight.defined(), chunks, size);
  const PartialSums bias_sums(gradients.bias.defined(), chunks, size);
  const ColumnSums call{rows_of(grad),   rows_of(input), moments.get(), weight_sums.get(),
                        bias_sums.get(), rows,           size,          chunks};
  check_launch(op, input, launch_column_sums(dtype_of(input), call, current_stream()));
  if (gradients.weight.defined()) {
    weight_sums.add_up(op, gradients.weight);
  }
  if (gradients.bias.defined()) {
    bias_sums.add_up(op, gradients.bias);
  }
}

}  // namespace

Gradients norm_gradients(const char* op, Norm norm, const at::Tensor& grad, const at::Tensor& input,
                         const std::optional<at::Tensor>& weight, double eps, Wanted wanted) {
  const c10::cuda::CUDAGuard guard(input.device());
  const int64_t size = input.size(-1);
  Gradients gradients;
  if (wanted.input) {
    gradients.input = empty_like_input(input);
  }
  if (wanted.weight) {
    gradients.weight = vector_like(input, size);
  }
  if (wanted.bias) {
    gradients.bias = vector_like(input, size);
  }
  if (input.numel() == 0) {  // the sum over no rows
    for (const at::Tensor* vector : {&gradients.weight, &gradients.bias}) {
      if (vector->defined()) {
        vector->zero_();
      }
    }
    return gradients;
  }
  const int64_t rows = input.numel() / size;
  const Scratch moments(wanted.weight ? rows * moments_bytes(dtype_of(input)) : 0);
  if (wanted.input || wanted.weight) {
    const NormBackward call{rows_of(grad),
                            rows_of(input),
                            parameter_of(weight),
                            wanted.input ? gradients.input.mutable_data_ptr() : nullptr,
                            moments.get(),
                            rows,
                            size,
                            eps};
    check_launch(op, input, launch_norm_backward(norm, dtype_of(input), call, current_stream()));
  }
  if (wanted.weight || wanted.bias) {
    fill_vectors(op, grad, input, moments, gradients);
  }
  return gradients;
}

}  // namespace myops::cuda
