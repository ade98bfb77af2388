export const dynamic = 'force-dynamic';

/** Takes as long as it is asked to: `/orders?ms=1000`. */
export async function GET(request) {
  const ms = Number(new URL(request.url).searchParams.get('ms') ?? 0);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return Response.json({ orders: [] });
}

export async function POST(request) {
  return Response.json(await request.json(), { status: 201 });
}
