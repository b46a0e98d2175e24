global using System.Linq;
namespace Example.Scoped;

internal static class Extensions
{
    public static int Twice(this int a) => a * 2;
}
