/** What lies on the queue: some whole, some without a total, some of a type that isn't listed, some that aren't JSON. */
export function messageBody(id: string, order: number): string {
  switch (order % 5) {
    case 0:
      return JSON.stringify({ id, type: 'order.shipped', order, total: 5 });
    case 1:
      return `{"id":"${id}","type":"order.shi`;
    case 2:
      return JSON.stringify({ id, type: 'order.returned', order });
    default:
      return JSON.stringify({ id, type: 'order.shipped', order });
  }
}
