/** Applies a method decorator, as `@decorator` above the method does. */
export function decorate(
  type: { readonly prototype: object },
  method: string,
  decorator: MethodDecorator,
): void {
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, method);
  decorator(type.prototype, method, descriptor ?? {});
}
